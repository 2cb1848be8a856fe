// What a dashboard looks at: a real server in a process of its own, with real workers in theirs, and three people who
// may do everything, something, and nothing but look.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after } from "node:test";
import type { Page } from "playwright-core";
import { Client } from "../../src/sdk/index.ts";
import { freshDatabase } from "../fresh-database.ts";
import { run, type Serving, serve, temporaryFolder } from "../leadhand-process.ts";
import { type Caller, callerAt } from "./caller.ts";
import { type HiredWorker, hireWorker, type WorkerWords } from "./crew.ts";

export interface SceneOptions {
  readonly store?: "sqlite" | "postgres";
  /** Settings of the server, as environment variables. */
  readonly settings?: Readonly<Record<string, string>>;
  /** What happened in its folder before it starts. */
  readonly before?: (folder: string) => Promise<unknown>;
}

export type Hire = Partial<Omit<WorkerWords, "url" | "token">>;
export type Role = "admin" | "user" | "viewer";

/** It lives until the test file ends, or until it is stopped: not before its pages are closed, which would complain. */
export interface UiScene {
  readonly url: string;
  readonly serving: Serving;
  readonly tokens: Readonly<Record<Role, string>>;
  /** The admin's. */
  readonly client: Client;
  /** Any request, as this person: `scene.as("viewer").ask("GET", "/me")`. */
  as(role: Role): Caller;
  /** Another worker, of the user. */
  hire(words?: Hire): Promise<HiredWorker>;
  /** A token with limits. */
  token(...flags: readonly string[]): Promise<string>;
  /** Its folder or its database, for commands that are run beside the server. */
  readonly where: readonly string[];
  /** The workers are killed, the server ends in good order. */
  stop(): Promise<void>;
}

export const userName = "ada";
export const viewerName = "vera";

/** A worker that only asks over HTTP is not missed, for a test has no time to let it beat. */
const patience = { LEADHAND_WORKER_TIMEOUT_SECONDS: "3600" };

export async function uiScene({ store = "sqlite", settings = {}, before }: SceneOptions = {}): Promise<UiScene> {
  const folder = await temporaryFolder();
  await before?.(folder);
  const database = store === "postgres" ? ["--database-url", await freshDatabase()] : [];
  const where = ["--data", folder, ...database];
  const serving = await serve(where, { LEADHAND_LOG_LEVEL: "warn", ...patience, ...settings });
  const token = async (...flags: readonly string[]) => {
    const made = await run(["token", "create", ...flags, ...where]);
    assert.equal(made.code, 0, made.err);
    return made.out.trim();
  };
  const [admin, user, viewer] = await Promise.all([
    readFile(join(folder, "admin-token"), "utf8").then((text) => text.trim()),
    token("--user", userName),
    token("--user", viewerName, "--role", "viewer"),
  ]);
  const tokens = { admin, user, viewer };
  const { url } = serving;
  const client = new Client({ url, token: admin });
  after(() => client.close());
  const workers: Promise<HiredWorker>[] = [];
  return {
    ...{ url, serving, tokens, client, token, where },
    as: (role) => callerAt(url, tokens[role]),
    hire(words = {}) {
      const nth = workers.length + 1;
      const usual = { name: `press-${nth}`, host: `host-${nth}.example`, labels: { site: "north" }, concurrency: 4 };
      const worker = hireWorker({ url, token: user, ...usual, ...words });
      workers.push(worker);
      return worker;
    },
    async stop() {
      await Promise.all(workers.map(async (worker) => (await worker).kill()));
      client.close();
      await serving.stop();
    },
  };
}

/** The page has a session from here on, as if its form had been filled in. */
export async function logIn(page: Page, token: string): Promise<void> {
  const answer = await page.context().request.post("/v1/session", { data: { token } });
  assert.equal(answer.status(), 200, await answer.text());
}
