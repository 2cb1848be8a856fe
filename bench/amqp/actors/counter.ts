// Consumers as far as they count on their parent: by the SDK's own gathering, each on a connection of its own, one mark in
// ten twice.

import { type Parents, parents } from "../../../src/sdk/amqp/parents.ts";
import { restApi } from "../../../src/sdk/rest-api.ts";
import { steadyApi } from "../../../src/sdk/steady-api.ts";
import { wire } from "../../../src/sdk/wire.ts";
import { logOf } from "../../../src/sdk/worker/options.ts";
import { concurrently } from "../../concurrently.ts";
import { told, untilLetGo } from "../../live/stage-door.ts";
import type { CounterWords } from "../words.ts";
import { tally, untilTold } from "./tally.ts";

const { url, token, task, consumers, inHand, from, to } = told<CounterWords>();
const over = new AbortController();
let next = from;
await untilTold();
const { done, tell } = tally();
untilLetGo(async () => over.abort());
tell();
await Promise.all(Array.from({ length: consumers }, () => consume(newParents())));

function newParents(): Parents {
  const headers = { authorization: `Bearer ${token}` };
  const rest = restApi({ url, fetch: wire({ silenceMs: 45_000 }).fetch, getHeaders: () => headers });
  const api = steadyApi({ api: rest, credentials: { renewed: async () => false } });
  return parents({ api, log: logOf(undefined), signal: over.signal });
}

function consume(kin: Parents): Promise<void> {
  return concurrently(inHand, async () => {
    const index = next;
    if (index >= to) return false;
    next += 1;
    await kin.count(task, { index, status: "done" });
    if (index % 10 === 0) await kin.count(task, { index, status: "done" });
    done();
    return true;
  });
}
