// Whether the server can be reached, can work, is of our release, and keeps our time.

import { spanText } from "../../core/time-text.ts";
import { readVersion } from "../../server/version.ts";
import type { Asking } from "../asking-command.ts";
import { causeText } from "../refusal-text.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

const withinMs = 5_000;

export async function serverChecks(asking: Asking): Promise<readonly Finding[]> {
  const { url, urlFrom } = asking.server;
  const askedAt = asking.now();
  let answer: Response;
  try {
    answer = await reached(asking, "/health");
  } catch (error) {
    asking.signal.throwIfAborted();
    const why = causeText(error as Error);
    const advice = "start one with `leadhand serve`, or name another by --url or LEADHAND_URL";
    return [fail("server", `no answer from ${url} (${urlFrom}): ${why}`, advice)];
  }
  const answeredAt = asking.now();
  const body: unknown = await answer.json().catch(() => null);
  if (answer.status !== 200 || (body as { status?: unknown } | null)?.status !== "ok") {
    const advice = "look at what stands at this URL, and whether a proxy passes /health and /v1 on";
    return [fail("server", `${url} answers /health with ${answer.status}, and not as Leadhand does`, advice)];
  }
  return [
    ok("server", `${url} (${urlFrom}) answers in ${spanText(answeredAt - askedAt)}`),
    await readiness(asking),
    await release(asking),
    clock(answer.headers.get("date"), askedAt, answeredAt),
  ];
}

export function reached({ server, signal }: Asking, path: string): Promise<Response> {
  return fetch(`${server.url}${path}`, { signal: AbortSignal.any([signal, AbortSignal.timeout(withinMs)]) });
}

async function readiness(asking: Asking): Promise<Finding> {
  const answer = await reached(asking, "/health/ready").catch(() => null);
  if (answer?.status === 200) return ok("ready", "it can work");
  const problem = (await answer?.json().catch(() => null)) as { detail?: string } | null | undefined;
  return fail("ready", problem?.detail ?? "it did not say whether it can work", "look at the server's log");
}

async function release(asking: Asking): Promise<Finding> {
  const ours = await readVersion();
  const answer = await reached(asking, "/v1/openapi.json").catch(() => null);
  const document = (await answer?.json().catch(() => null)) as { info?: { version?: string } } | null | undefined;
  const theirs = document?.info?.version;
  if (theirs === ours) return ok("release", `both sides are ${ours}`);
  const said = theirs === undefined ? "the server does not say its release" : `the server is ${theirs}`;
  return warn("release", `${said}, this command ${ours}`, "use the same release on both sides");
}

/** The header has whole seconds. */
const skewWarnMs = 2_000;

/** The server's time was told somewhere between the question and the answer. */
export function clock(date: string | null, askedAt: number, answeredAt: number): Finding {
  const told = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(told)) return warn("clock", "the server does not tell its time", "look at what stands in between");
  const early = askedAt - (told + 999);
  const late = told - answeredAt;
  const skew = Math.max(early, late, 0);
  if (skew < skewWarnMs) return ok("clock", "server and this machine agree within two seconds");
  const side = late > 0 ? "ahead of" : "behind";
  const advice = "let both keep their clocks by NTP; deadlines and expiring tokens go by them";
  return warn("clock", `the server's clock is about ${spanText(skew)} ${side} this machine's`, advice);
}
