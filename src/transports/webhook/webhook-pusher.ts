// Requests of push jobs over HTTP and HTTPS. Nothing is followed, nothing is unpacked, and an answer is read no further
// than a result may be long.

import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { type PushRules, targetFault } from "../../core/push.ts";
import type { PushAnswer, PushFault } from "../../core/push-answer.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Pusher, PushRequest } from "../../ports/pusher.ts";
import { checkedLookup, ForbiddenAddress, type Resolve } from "./checked-lookup.ts";

export interface WebhookPusherOptions {
  readonly rules: PushRules;
  readonly clock: Clock;
  readonly resolve: Resolve;
  /** Of an answer. */
  readonly bytesMax: number;
}

export function webhookPusher({ rules, clock, resolve, bytesMax }: WebhookPusherOptions): Pusher {
  const lookup = checkedLookup(resolve, rules);

  function open(url: URL, { headers, body }: PushRequest): ClientRequest {
    const length = String(Buffer.byteLength(body, "utf8"));
    // A connection of its own: one that was kept may be closed by the target just as a request leaves on it, and whether
    // that was heard nobody could tell.
    const options = { method: "POST", agent: false, lookup, headers: { ...headers, "content-length": length } };
    return url.protocol === "https:" ? httpsRequest(url, options) : httpRequest(url, options);
  }

  function send(url: URL, request: PushRequest, signal: AbortSignal): Promise<PushAnswer> {
    return new Promise((resolve) => {
      const sent = open(url, request);
      const end = (answer: PushAnswer): void => {
        silence();
        signal.removeEventListener("abort", abort);
        resolve(answer);
      };
      const quit = (reason: PushFault, message: string): void => {
        end({ type: "failed", reason, message });
        sent.destroy();
      };
      const abort = (): void => quit("network", "The request was given up");
      const late = (): void => quit("timeout", `The target did not answer within ${request.timeoutMs} ms`);
      const silence = clock.alarm(clock.now() + request.timeoutMs, late);
      signal.addEventListener("abort", abort);
      sent.once("response", (answer) => {
        read(answer, bytesMax).then(end, (error) => quit("network", textOf(error)));
      });
      // Stays for as long as the request does: what comes after the answer is nobody's business.
      sent.on("error", (error) => quit(error instanceof ForbiddenAddress ? "address" : "network", textOf(error)));
      sent.end(request.body);
      if (signal.aborted) abort();
    });
  }

  return {
    async post(request, signal) {
      // An address in the URL itself is never looked up; and another server may have had other rules.
      const fault = targetFault(request.url, rules);
      if (fault !== null) return { type: "failed", reason: "address", message: `The URL ${fault}` };
      return send(new URL(request.url), request, signal);
    },
  };
}

async function read(answer: IncomingMessage, bytesMax: number): Promise<PushAnswer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    // Leaving the loop ends the connection.
    if (bytes > bytesMax) break;
  }
  const { headers, statusCode = 0 } = answer;
  const functionError = headers["x-amz-function-error"];
  return {
    ...{ type: "answered", status: statusCode, retryAfter: headers["retry-after"] ?? null, whole: bytes <= bytesMax },
    functionError: functionError === undefined ? null : String(functionError),
    body: Buffer.concat(chunks).subarray(0, bytesMax).toString("utf8"),
  };
}

function textOf(error: unknown): string {
  const { message = "", code } = error as NodeJS.ErrnoException;
  return `The target could not be reached: ${message || code || "unknown"}`;
}
