// Throws generated requests at a server and judges every answer by the server's own description.

import assert from "node:assert/strict";
import * as fc from "fast-check";
import { type ProblemCode, problems } from "../../../src/core/problem.ts";
import { fleetRouteList } from "../../../src/protocol/fleet/routes.ts";
import { problemsOf } from "../../../src/protocol/openapi.ts";
import type { RouteSpec } from "../../../src/protocol/rest/route.ts";
import { routeList } from "../../../src/protocol/rest/routes.ts";
import { type RequestWords, requestBytes, type Wire, type WireReply, wire } from "../wire.ts";
import { type Operation, operationsOf } from "./described.ts";
import { type Known, known } from "./known.ts";
import { type Draft, drafts, filled } from "./requests.ts";
import { stockUp } from "./stock.ts";

export interface ThrowOptions {
  readonly url: string;
  /** Some good, some not; null for none. */
  readonly tokens: readonly (string | null)[];
  readonly rooms: readonly string[];
  readonly seed: number;
  readonly count: number;
}

export interface Thrown {
  /** By `operation status`, and `- status` for requests that nothing describes. */
  readonly answers: ReadonlyMap<string, number>;
  /** Answers that were not as described, with what was asked; not more than a few. */
  readonly faults: readonly string[];
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
type Loose = any;

const atOnce = 32;
const inBatch = 250;
const faultsMax = 20;

export async function throwRequests({ url, tokens, rooms, seed, count }: ThrowOptions): Promise<Thrown> {
  const document = await (await fetch(`${url}/v1/openapi.json`)).json();
  const operations = new Map(operationsOf(document).map((operation) => [operation.id, operation]));
  const answers = new Map<string, number>();
  const faults: string[] = [];
  const about = known(rooms);
  const wires = await Promise.all(Array.from({ length: atOnce }, () => wire(url)));

  /** A stream that was looked into is cut, and takes its connection with it. */
  async function line(nth: number): Promise<Wire> {
    if (!wires[nth]?.isOpen) wires[nth] = await wire(url);
    return wires[nth] as Wire;
  }

  async function ask(operation: string, token: string | null, words: RequestWords): Promise<Loose> {
    const reply = await (await line(0)).ask(requestBytes({ ...words, token }));
    assert(reply !== null && reply.status < 300, `${words.target}: ${reply?.status} ${reply?.text}`);
    const body = judge(operations.get(operation), reply, words.method);
    const key = `${operation} ${reply.status}`;
    answers.set(key, (answers.get(key) ?? 0) + 1);
    about.learn(operation, token, body);
    return body;
  }

  async function one(nth: number, draft: Draft): Promise<void> {
    const { request, token } = filledIn(draft, about, tokens);
    const reply = await (await line(nth)).ask(requestBytes({ ...request, token }));
    const key = `${draft.operation ?? "-"} ${reply?.status ?? "closed"}`;
    answers.set(key, (answers.get(key) ?? 0) + 1);
    try {
      assert(reply !== null, "the server hung up");
      const operation = operations.get(draft.operation ?? "");
      const body = judge(operation, reply, request.method);
      if (operation !== undefined && reply.status < 300) about.learn(operation.id, token, body);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const asked = `${request.method} ${request.target}\n${JSON.stringify(request.headers)} ${request.body ?? ""}`;
      faults.push(`${key}: ${error.message}\n${asked}\n→ ${reply?.text.slice(0, 2_000)}`);
    }
  }

  let round = 0;
  async function all(batch: readonly Draft[]): Promise<boolean> {
    round += 1;
    await stockUp(ask, tokens, round);
    let next = 0;
    const hand = async (nth: number) => {
      while (next < batch.length) {
        next += 1;
        await one(nth, batch[next - 1] as Draft);
      }
    };
    await Promise.all(wires.map((_, nth) => hand(nth)));
    return faults.length < faultsMax;
  }

  const batches = fc.array(drafts([...operations.values()]), { minLength: inBatch, maxLength: inBatch, size: "max" });
  // What a request does depends on those before it, so a smaller example would be another story.
  const how = { seed, numRuns: Math.ceil(count / inBatch), endOnFailure: true };
  const { errorInstance } = await fc.check(fc.asyncProperty(batches, all), how);
  for (const each of wires) each.hangUp();
  if (errorInstance instanceof Error && faults.length === 0) throw errorInstance;
  return { answers, faults };
}

function filledIn(draft: Draft, about: Known, tokens: readonly (string | null)[]) {
  const { values, token } = about.choose(draft.what);
  // Most requests are from whom the worker belongs to.
  const other = tokens[draft.who % tokens.length] ?? null;
  const inPath = Object.fromEntries(Object.entries(values).map(([mark, value]) => [mark, encodeURIComponent(value)]));
  const inJson = Object.fromEntries(
    Object.entries(values).map(([mark, value]) => [mark, JSON.stringify(value).slice(1, -1)]),
  );
  const request = {
    method: draft.method,
    target: filled(draft.target, inPath),
    headers: Object.fromEntries(Object.entries(draft.headers).map(([name, text]) => [name, filled(text, values)])),
    ...(draft.body !== undefined && { body: filled(draft.body, inJson) }),
  };
  return { request, token: draft.who % 3 === 0 ? other : (token ?? other) };
}

const specs = new Map([...routeList, ...fleetRouteList].map((spec) => [spec.id, spec]));
const problemStatuses = new Set<number>(Object.values(problems).map(({ status }) => status));

/** Answers the body, read. */
function judge(operation: Operation | undefined, reply: WireReply, method: string): unknown {
  const type = reply.headers["content-type"]?.split(";")[0] ?? null;
  if (operation === undefined) {
    assert(reply.status < 400 || (problemStatuses.has(reply.status) && reply.status < 500), "no such answer");
    if (reply.status >= 400 && method !== "HEAD") assert.equal(type, "application/problem+json");
    return null;
  }
  const answer = operation.answers.get(reply.status);
  assert(answer !== undefined, "the status is not described");
  if (answer.type === "*/*") return null;
  assert.equal(type, answer.type);
  if (answer.check === null) {
    assert.equal(reply.text, "");
    return null;
  }
  if (type === "text/event-stream") return null;
  const body = JSON.parse(reply.text) as { readonly type?: string };
  assert(answer.check(body), JSON.stringify(answer.check.errors));
  if (reply.status >= 400) judgeProblem(operation.id, reply, body.type as string);
  return body;
}

function judgeProblem(route: string, { status }: WireReply, type: string): void {
  const code = type.replace("/v1/problems/", "") as ProblemCode;
  assert(
    problemsOf(specs.get(route) as RouteSpec)
      .get(status)
      ?.includes(code),
    `${code} is not described`,
  );
  const isExpected = code === "internal-job-not-configured" || code === "provider-timeout";
  assert(status < 500 || isExpected, "the server could not");
}
