// Stands between a worker and its server, so that something can happen between an answer and its arrival.

import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { after } from "node:test";

const nothing = async (): Promise<void> => undefined;
const problem = (status: number): string =>
  JSON.stringify({ type: "refused", title: "Refused", status, detail: "Not now" });

/**
 * Answers its address. What `between` does is done once the server has answered, and before the worker hears of it. What
 * `isRefused` names never reaches the server; it may say with which status, 409 where it does not, or that nobody answers.
 */
export async function proxy(
  target: string,
  between: (path: string) => Promise<unknown> = nothing,
  isRefused: (path: string) => boolean | number | "silent" = () => false,
): Promise<string> {
  const standing = createServer(async (asked, answer) => {
    const { url: path = "", method, headers } = asked;
    const refused = isRefused(path);
    if (refused === "silent") return void asked.resume();
    if (refused !== false) {
      const code = refused === true ? 409 : refused;
      asked.resume();
      return void answer.writeHead(code, { "content-type": "application/problem+json" }).end(problem(code));
    }
    const options = { method, headers: { ...headers, connection: "close" } };
    const reply = await new Promise<IncomingMessage | null>((resolve) => {
      asked.pipe(request(new URL(path, target), options, resolve).on("error", () => resolve(null)));
    });
    if (reply === null) return void answer.writeHead(502).end();
    const body = await text(reply);
    await between(path);
    answer.writeHead(reply.statusCode ?? 500, { "content-type": reply.headers["content-type"] ?? "text/plain" });
    answer.end(body);
  });
  await new Promise<void>((resolve) => standing.listen(0, "127.0.0.1", resolve));
  after(() => {
    standing.closeAllConnections();
    standing.close();
  });
  return `http://127.0.0.1:${(standing.address() as AddressInfo).port}`;
}
