// A whole server on its embedded database, and callers with tokens of their own, over real HTTP.

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import type { Broker } from "../../src/ports/broker.ts";
import { issueToken } from "../../src/server/auth/tokens.ts";
import { readConfig } from "../../src/server/config.ts";
import { databaseOf } from "../../src/server/database.ts";
import { type Server, server } from "../../src/server/server.ts";
import type { Config } from "../../src/server/settings/settings.ts";
import { systemClock, systemSecret } from "../../src/server/system.ts";
import { withTokens } from "../../src/server/token-database.ts";
import { recordedLog } from "../../src/testing/recorded-log.ts";

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  readonly body: any;
  readonly text: string;
}

export interface Caller {
  readonly user: string;
  readonly token: string;
  get(path: string, headers?: Record<string, string>): Promise<Reply>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  put(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  patch(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  delete(path: string, headers?: Record<string, string>): Promise<Reply>;
}

export interface TokenWords {
  readonly role?: "admin" | "user" | "viewer";
  readonly rooms?: readonly string[];
  readonly jobs?: readonly string[];
}

export interface RestScene {
  readonly serving: Server;
  readonly url: string;
  readonly data: string;
  readonly admin: Caller;
  /** Without a token. */
  readonly stranger: Caller;
  caller(user: string, words?: TokenWords): Promise<Caller>;
  /** Answers what a raw request gets: `body` is sent as it is. */
  send(method: string, path: string, options?: SendOptions): Promise<Reply>;
  stop(): Promise<void>;
}

export interface SendOptions {
  readonly token?: string | null;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
}

/** One server for all tests of a file; it stops after them. Paths are below /v1. */
export async function restScene(
  flags: Readonly<Record<string, string>> = {},
  brokerOf: (config: Config) => Broker | undefined = () => undefined,
): Promise<RestScene> {
  const folder = mkdtempSync(join(tmpdir(), "leadhand-rest-"));
  const data = flags["data"] ?? join(folder, "data");
  const { config } = readConfig({ environment: {}, flags: { port: "0", data, ...flags } });
  const broker = brokerOf(config);
  const serving = server({ config, writeLog: () => undefined, ...(broker !== undefined && { broker }) });
  const url = await serving.start();
  // A second server on the same database makes no second one.
  const tokenFile = join(data, "admin-token");
  const adminToken = existsSync(tokenFile) ? readFileSync(tokenFile, "utf8").trim() : null;

  async function send(method: string, path: string, { token, headers, body }: SendOptions = {}): Promise<Reply> {
    const authorization = token == null ? {} : { authorization: `Bearer ${token}` };
    const init = { method, headers: { ...authorization, ...headers }, ...(body !== undefined && { body }) };
    const answer = await fetch(url + path, init as RequestInit);
    const text = await answer.text();
    const isJson = /json/.test(answer.headers.get("content-type") ?? "");
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      body: isJson && text !== "" ? JSON.parse(text) : text,
    };
  }

  function callerWith(user: string, token: string | null): Caller {
    const ask =
      (method: string) =>
      (path: string, body?: unknown, headers: Record<string, string> = {}) =>
        send(method, `/v1${path}`, {
          ...{ token, headers },
          ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
        });
    const [get, remove] = [ask("GET"), ask("DELETE")];
    return {
      ...{ user, token: token ?? "", post: ask("POST"), put: ask("PUT"), patch: ask("PATCH") },
      get: (path, headers) => get(path, undefined, headers),
      delete: (path, headers) => remove(path, undefined, headers),
    };
  }

  async function stop(): Promise<void> {
    await serving.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  after(stop);

  return {
    ...{ serving, url, data, send, stop },
    admin: callerWith("admin", adminToken),
    stranger: callerWith("nobody", null),
    async caller(user, { role = "user", rooms, jobs } = {}) {
      const words = { user, role, rooms: rooms ?? null, jobs: jobs ?? null, expiresAt: null, name: null };
      const { token } = await withTokens(databaseOf(config), recordedLog(), (store) =>
        issueToken({ store, clock: systemClock(), secret: systemSecret }, words),
      );
      return callerWith(user, token);
    },
  };
}
