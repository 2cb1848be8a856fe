// A worker of one job over `/work`, against a server that plays a part.

import { after } from "node:test";
import type { Heartbeat } from "../../../src/protocol/work/frames.ts";
import type { Task, WorkerOptions } from "../../../src/sdk/index.ts";
import { type Hired, hire } from "../scene.ts";
import { type FakeConnection, type FakeServer, fakeServer } from "./fake-server.ts";

export const name = "@global:modifiers:Rotate";

export interface Connected extends Hired {
  readonly fake: FakeServer;
  readonly connection: FakeConnection;
  readonly first: Heartbeat;
}

/** Not started yet; its server closes after it has stopped. */
export function onWork(fake: FakeServer, handler: (task: Task) => unknown, options: WorkerOptions = {}): Hired {
  const where = { url: fake.url, token: "secret" };
  const worker = hire(where, (each) => each.job(name, {}, handler), { link: "work", ...options });
  after(() => fake.close());
  return worker;
}

/** Connected and welcomed. */
export async function hired(
  handler: (task: Task) => unknown,
  options: WorkerOptions = {},
  server?: FakeServer,
): Promise<Connected> {
  const fake = server ?? (await fakeServer());
  const worker = onWork(fake, handler, options);
  const ready = worker.start();
  const connection = await fake.connection(1);
  const first = await connection.welcome();
  await ready;
  return { ...worker, fake, connection, first };
}
