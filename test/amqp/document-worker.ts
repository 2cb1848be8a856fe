// A consumer of the document in a process of its own: its operations get into each of the exceptional flows, and say so.

import { Pool, type PoolClient } from "pg";
import {
  type ConsumerOptions,
  OperationConsumer,
  OperationRegistry,
  QueueConsumer,
  RetryLaterError,
} from "../../src/sdk/index.ts";

export interface DocumentWorkerWords
  extends Pick<ConsumerOptions, "url" | "token" | "amqpUrl" | "queue" | "drainMs" | "concurrency"> {
  readonly kind: "job" | "operation";
  /** Of the operations' own database; they have no sessions without. */
  readonly database?: string;
}

const { kind, database, ...words } = JSON.parse(process.argv[2] ?? "") as DocumentWorkerWords;
const said = (line: string): boolean => process.stdout.write(`${line}\n`);
const asked = new Promise<void>((resolve) => process.once("SIGTERM", resolve).once("SIGINT", resolve));

const registry = new OperationRegistry()
  .register({
    name: "hang",
    async execute(session) {
      await (session as PoolClient | undefined)?.query("insert into embedding values ('HANG', 1)");
      said("hang");
      return new Promise(() => undefined);
    },
  })
  .register({
    name: "finish",
    async execute() {
      said("finish");
      await asked;
      return { finished: true };
    },
  })
  .register({
    name: "deadlock",
    execute() {
      said("deadlock");
      throw Object.assign(new Error("deadlock detected"), { code: "40P01" });
    },
  })
  .register({
    name: "later",
    execute() {
      said("later");
      throw new RetryLaterError("The GPU is already occupied", 60);
    },
  })
  .register({
    name: "memory",
    execute() {
      said("memory");
      throw new Error("CUDA out of memory. Tried to allocate 2.00 GiB");
    },
  });

const pool = database === undefined ? null : new Pool({ connectionString: database });
const sessions = pool && {
  async begin() {
    const client = await pool.connect();
    await client.query("begin");
    return client;
  },
  commit: (client: PoolClient) => client.query("commit").finally(() => client.release()),
  rollback: (client: PoolClient) => client.query("rollback").finally(() => client.release()),
};
const options = {
  ...{ ...words, registry, heartbeatMs: 250, socket: false, log: null },
  ...(sessions && { sessions: sessions as NonNullable<ConsumerOptions["sessions"]> }),
} satisfies ConsumerOptions;
await (kind === "job" ? new QueueConsumer(options) : new OperationConsumer(options)).run();
