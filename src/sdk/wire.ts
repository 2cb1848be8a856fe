// `fetch` as far as the SDK needs it, over node:http with connections that are kept. A worker asks thousands of times a
// second, and the global `fetch` spends twice as much of the processor on each.

import { type IncomingMessage, Agent as PlainAgent, request as plainRequest } from "node:http";
import { Agent as TlsAgent, request as tlsRequest } from "node:https";

export interface Wire {
  readonly fetch: typeof globalThis.fetch;
  /** Ends the connections that are kept. */
  close(): void;
}

export interface WireOptions {
  /** A connection on which nothing comes for so long is given up. */
  readonly silenceMs: number;
}

export function wire({ silenceMs }: WireOptions): Wire {
  const agents = { "http:": new PlainAgent({ keepAlive: true }), "https:": new TlsAgent({ keepAlive: true }) };

  function send(url: URL, init: RequestInit): Promise<IncomingMessage & { readonly text: string }> {
    const { method = "GET", headers, body, signal } = init;
    const isTls = url.protocol === "https:";
    const options = {
      ...{ method, headers: headers as Record<string, string>, timeout: silenceMs },
      agent: agents[isTls ? "https:" : "http:"],
    };
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const asked = (isTls ? tlsRequest : plainRequest)(url, options, (answer) => {
        let text = "";
        answer.setEncoding("utf8");
        answer.on("data", (part: string) => (text += part));
        answer.on("end", () => resolve(Object.assign(answer, { text })));
        answer.on("error", reject);
        answer.on("close", () => answer.complete || reject(new Error("The answer broke off")));
      });
      asked.on("timeout", () => asked.destroy(new Error(`Nothing came for ${silenceMs} ms`)));
      asked.on("error", reject);
      // One signal is for thousands of requests, so each lets go of it at its end.
      const abort = (): void => void asked.destroy(signal?.reason);
      signal?.addEventListener("abort", abort);
      asked.on("close", () => signal?.removeEventListener("abort", abort));
      asked.end(body ?? undefined);
    });
  }

  async function fetch(address: string, init: RequestInit): Promise<unknown> {
    try {
      const { statusCode, headers, text } = await send(new URL(address), init);
      const get = (name: string) => headers[name.toLowerCase()] ?? null;
      return { status: statusCode, headers: { get }, text: async () => text };
    } catch (error) {
      if (init.signal?.aborted === true) throw init.signal.reason;
      throw new TypeError("fetch failed", { cause: error });
    }
  }

  return {
    fetch: fetch as unknown as typeof globalThis.fetch,
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}
