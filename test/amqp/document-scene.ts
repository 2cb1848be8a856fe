// The document's stage: a whole server on PostgreSQL, or on its embedded database, with RabbitMQ behind it, and consumers of the
// document's classes. The server itself tells the queues of its tasks.

import { after } from "node:test";
import { type ConsumerOptions, OperationConsumer, type OperationRegistry, QueueConsumer } from "../../src/sdk/index.ts";
import { until } from "../../src/testing/until.ts";
import { freshDatabase, postgresUrl, query } from "../fresh-database.ts";
import { restScene } from "../rest/scene.ts";
import { type Body, the } from "../rest/workshop.ts";
import { amqpUrl, brokerScene, deadLetterSettings, skip as noBroker } from "./scene.ts";

/** The option of a test that needs both. Said aloud by the runner. */
export const withBoth = {
  skip: noBroker || (postgresUrl === undefined && "There is no PostgreSQL: LEADHAND_TEST_DATABASE_URL is not set"),
};

export interface StageOptions {
  readonly database?: "postgres" | "sqlite";
  /** Flags of the server. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface Consuming {
  readonly consumer: QueueConsumer | OperationConsumer;
  /** What it would have ended the program with. */
  readonly exits: number[];
  readonly running: Promise<void>;
}

export type Stage = Awaited<ReturnType<typeof stage>>;

export async function stage({ database = "postgres", settings = {} }: StageOptions = {}) {
  const broker = brokerScene();
  const [jobs, batch, write] = [await broker.queue(), await broker.queue(), await broker.queue()];
  const databaseUrl = database === "postgres" ? await freshDatabase() : null;
  const server = await restScene({
    ...{
      "amqp-url": amqpUrl,
      "amqp-queues": JSON.stringify({ [jobs]: "job", [batch]: "operation", [write]: "operation" }),
    },
    "amqp-dead-letter": deadLetterSettings.LEADHAND_AMQP_DEAD_LETTER,
    "amqp-dead-letter-queue": deadLetterSettings.LEADHAND_AMQP_DEAD_LETTER_QUEUE,
    ...(databaseUrl !== null && { "database-url": databaseUrl }),
    ...settings,
  });
  const { admin } = server;

  const task = async (id: string): Promise<Body> => the(200, await admin.get(`/tasks/${id}`));
  const events = async (id: string): Promise<Body[]> =>
    the(200, await admin.get(`/tasks/${id}/events?limit=500`)).items;

  function consume(
    registry: OperationRegistry,
    options: Partial<ConsumerOptions> & { kind?: "operation" } = {},
  ): Consuming {
    const { kind, ...more } = options;
    const exits: number[] = [];
    const words = {
      ...{ registry, amqpUrl, url: server.url, token: admin.token, log: null, signals: false, socket: false },
      ...{
        heartbeatMs: 100,
        queue: kind === "operation" ? batch : jobs,
        exit: (code: number) => void exits.push(code),
      },
      ...more,
    } satisfies ConsumerOptions;
    const consumer = kind === "operation" ? new OperationConsumer(words) : new QueueConsumer(words);
    const running = consumer.run();
    after(() => consumer.stop({ drainMs: 0 }));
    return { consumer, exits, running };
  }

  return {
    ...{ server, admin, broker, jobs, batch, write, databaseUrl, task, events, consume },
    async submit(operation: string, payload: object = {}, more: object = {}): Promise<string> {
      const path = `/rooms/@global/tasks/@global:operations:${operation}`;
      return the(202, await admin.post(path, { payload, queue: jobs, ...more })).id;
    },
    is: (id: string, status: string) => patiently(`${id} is ${status}`, async () => (await task(id)).status === status),
    /** As PostgreSQL keeps it while it is open. */
    async row(id: string): Promise<{ state: string; started_at: string | null; leased_until: string | null }> {
      const sql = "select state, started_at, leased_until from open_task where id = $1";
      const [row] = await query(databaseUrl ?? "", sql, [id]);
      return row as never;
    },
    /** In the document's words; what it has no word for is left out. */
    names: async (id: string): Promise<string[]> =>
      (await events(id)).map(({ name }) => name).filter((name) => name !== null && name !== undefined),
  };
}

/** Servers, consumers and their threads start side by side, on a machine that may be busy with others. */
export function patiently(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  return until(what, condition, 40_000);
}

/** Resolves when `open` is called; what waits for it says so by `entered`. */
export function gate() {
  let open: () => void = () => undefined;
  let enter: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const entered = new Promise<void>((resolve) => (enter = resolve));
  return {
    ...{ open: () => open(), entered },
    async pass(): Promise<void> {
      enter();
      await opened;
    },
  };
}
