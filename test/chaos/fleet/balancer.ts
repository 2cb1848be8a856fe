// A caller as a proxy in front of several servers is one: it goes from one to the next, and where nobody listens, on to
// another. It keeps no connection, so none can end under a request.

import { request } from "node:http";
import type { Ask, Caller, Reply } from "../rest/caller.ts";

/** Answers null where a connection broke after it was made: nobody can know what was done. */
export function balancer(urls: readonly string[], token: string): Caller {
  let turn = 0;
  return {
    async ask(method, path, ask = {}) {
      for (let tries = 0; tries < urls.length; tries += 1) {
        turn += 1;
        const reply = await one(`${urls[turn % urls.length]}/v1${path}`, method, token, ask);
        if (reply !== "refused") return reply;
      }
      return null;
    },
  };
}

function one(url: string, method: string, token: string, { body, headers }: Ask): Promise<Reply | null | "refused"> {
  return new Promise((resolve) => {
    const authorization = { authorization: `Bearer ${token}` };
    const asked = request(url, { method, agent: false, headers: { ...authorization, ...headers } }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      answer.on("error", () => resolve(null));
      answer.on("end", () => {
        const said = new Headers(Object.entries(answer.headers).map(([name, value]) => [name, String(value)]));
        resolve({ status: answer.statusCode ?? 0, headers: said, body: text === "" ? null : JSON.parse(text) });
      });
    });
    asked.on("error", (error: NodeJS.ErrnoException) => resolve(error.code === "ECONNREFUSED" ? "refused" : null));
    asked.end(body === undefined || typeof body === "string" ? body : JSON.stringify(body));
  });
}
