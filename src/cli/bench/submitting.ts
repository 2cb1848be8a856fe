// Submits over connections that stay open, one request at a time on each.

import { Agent, request as plainRequest } from "node:http";
import { Agent as SecureAgent, request as secureRequest } from "node:https";
import { monotonicMs } from "../../server/system.ts";
import { benchJob, benchRoom } from "./words.ts";

export interface Submitter {
  /** Answers how long it took, in milliseconds. */
  submit(queue: string): Promise<number>;
  close(): void;
}

const payloadBytes = 200;
const connectionsMax = 50;

export function submitter(url: string, token: string): Submitter {
  const isSecure = url.startsWith("https:");
  const settings = { keepAlive: true, maxSockets: connectionsMax };
  const agent = isSecure ? new SecureAgent(settings) : new Agent(settings);
  const request = isSecure ? secureRequest : plainRequest;
  const target = `${url}/v1/rooms/${benchRoom}/tasks/${encodeURIComponent(benchJob)}`;
  const text = "x".repeat(payloadBytes - '{"text":""}'.length);

  function submit(queue: string): Promise<number> {
    const body = JSON.stringify({ payload: { text }, queue });
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    };
    const sentAt = monotonicMs();
    return new Promise((resolve, reject) => {
      const sent = request(target, { method: "POST", agent, headers }, (answer) => {
        let said = "";
        answer.setEncoding("utf8").on("data", (part: string) => (said += part));
        answer.on("end", () => {
          if (answer.statusCode === 202) resolve(monotonicMs() - sentAt);
          else reject(new Error(`A submit was answered with ${answer.statusCode}: ${said}`));
        });
      });
      sent.on("error", reject);
      sent.end(body);
    });
  }

  return { submit, close: () => agent.destroy() };
}

export interface Submitted {
  readonly ms: number;
  /** How long each took. */
  readonly times: readonly number[];
}

export async function submitAll(
  { submit }: Submitter,
  queue: string,
  tasks: number,
  signal: AbortSignal,
): Promise<Submitted> {
  const times: number[] = [];
  let sent = 0;
  const loop = async (): Promise<void> => {
    while (sent < tasks) {
      signal.throwIfAborted();
      sent += 1;
      times.push(await submit(queue));
    }
  };
  const startedAt = monotonicMs();
  await Promise.all(Array.from({ length: connectionsMax }, loop));
  return { ms: monotonicMs() - startedAt, times };
}
