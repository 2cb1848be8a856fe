// Somebody who calls a server over HTTP, and knows that an answer may not come.

import { problemType } from "../../../src/transports/rest/problem-reply.ts";

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  readonly body: any;
}

export interface Ask {
  /** JSON text, or what becomes JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Caller {
  /** Paths are below /v1. Null: the connection ended without an answer, and whether anything was done is not known. */
  ask(method: string, path: string, ask?: Ask): Promise<Reply | null>;
}

export interface CallerOptions {
  readonly url: string;
  readonly token: string;
  /** Waited for before each call. */
  there?(): Promise<void>;
  /** An answer that no caller of this kind should get. */
  onFault?(fault: string): void;
}

export function caller({ url, token, there, onFault }: CallerOptions): Caller {
  return {
    async ask(method, path, { body, headers } = {}) {
      await there?.();
      const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
      const init = {
        method,
        headers: { authorization: `Bearer ${token}`, ...headers },
        ...(text !== undefined && { body: text }),
      };
      const reply = await fetch(`${url}/v1${path}`, init).then(read).catch(unanswered);
      const fault = reply === null ? null : faultOf(reply);
      if (fault !== null) onFault?.(`${method} ${path} ${text?.slice(0, 200) ?? ""}: ${fault}`);
      return reply;
    },
  };
}

async function read(answer: Response): Promise<Reply> {
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text === "" ? null : JSON.parse(text) };
}

/** That is how `fetch` says that a connection was refused, or broke. */
function unanswered(error: unknown): null {
  if (error instanceof TypeError) return null;
  throw error;
}

/** What may be said to callers who do nothing wrong but may be late, to something that is gone or to a busy server. */
const expected = [200, 201, 202, 204, 404, 409, 503];

function faultOf({ status, headers, body }: Reply): string | null {
  const said = `${status} ${JSON.stringify(body)}`;
  if (!expected.includes(status)) return said;
  if (status >= 400 && headers.get("content-type") !== problemType) return `${said} is no problem`;
  return status === 503 && headers.get("retry-after") === null ? `${said} without Retry-After` : null;
}
