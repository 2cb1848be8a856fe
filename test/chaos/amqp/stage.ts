// A broker, a server that may be killed, and consumers of every kind, each behind a gate.

import { lastingPort } from "../../../tools/free-port.ts";
import { type Chance, chance as newChance } from "../chance.ts";
import { type PatientAsk, patientCaller } from "../fleet/patient-caller.ts";
import { type RestServer, restServer } from "../rest/rest-server.ts";
import { type ChaosBroker, chaosBroker } from "./broker.ts";
import { type Consumer, type Consumers, consumers } from "./consumers.ts";
import { type DeadLetters, deadLetters } from "./dead-letters.ts";
import { type FrameGate, frameGate } from "./frame-gate.ts";
import { type Load, newLoad } from "./load.ts";
import { queueMap, queues } from "./words.ts";

export interface Stage {
  readonly broker: ChaosBroker;
  readonly server: RestServer;
  /** Between the server and the broker. */
  readonly serverFrames: FrameGate;
  readonly crew: Consumers;
  readonly load: Load;
  readonly dead: DeadLetters;
  readonly ask: PatientAsk;
  readonly chance: Chance;
  /** Those of one queue. */
  of(queue: string): readonly Consumer[];
}

export interface StageOptions {
  /** Without it the server keeps its tasks in a file. */
  readonly databaseUrl?: string;
  readonly seed: number;
}

/** So that what was lost is missed in seconds, and nothing is given up because faults come thick and fast. */
const settings = {
  LEADHAND_AMQP_QUEUES: JSON.stringify(queueMap),
  LEADHAND_ALLOWED_CATEGORIES: "operations",
  LEADHAND_JOB_LEASE_SECONDS: "4",
  LEADHAND_MAX_LEASE_REQUEUES: "100",
  LEADHAND_REPUBLISH_STALL_SECONDS: "2",
  LEADHAND_REPUBLISH_MAX: "20",
};

const members: readonly Consumer["orders"][] = [
  { name: "jobs, acknowledged at once", queue: queues.jobs, kind: "job", ackMode: "preAck", concurrency: 4 },
  { name: "long jobs", queue: queues.long, kind: "job", ackMode: "afterClaim", concurrency: 5 },
  { name: "long jobs, kept", queue: queues.kept, kind: "job", ackMode: "afterJob", concurrency: 5 },
  ...["one", "two"].flatMap((nth): readonly Consumer["orders"][] => [
    { name: `jobs, claimed ${nth}`, queue: queues.jobs, kind: "job", ackMode: "afterClaim", concurrency: 4 },
    { name: `jobs, kept ${nth}`, queue: queues.jobs, kind: "job", ackMode: "afterJob", concurrency: 4 },
    { name: `batches ${nth}`, queue: queues.batch, kind: "operation", ackMode: "afterClaim", concurrency: 4 },
    { name: `writes ${nth}`, queue: queues.write, kind: "operation", ackMode: "afterClaim", concurrency: 4 },
  ]),
];

export async function amqpStage({ databaseUrl, seed }: StageOptions): Promise<Stage> {
  const broker = await chaosBroker();
  const serverFrames = await frameGate(broker.port);
  const server = await restServer({
    ...(databaseUrl !== undefined && { databaseUrl }),
    settings: { ...settings, LEADHAND_AMQP_URL: serverFrames.url },
    port: await lastingPort(),
  });
  const created = await server.command("token", "create", "--user", "root", "--role", "admin");
  if (created.code !== 0) throw new Error(`No token: ${created.err}`);
  const token = created.out.trim();
  const { url } = server;
  const ask = patientCaller(url, token);
  for (const name of ["work", "spread", "batch", "write"]) {
    const { status, body } = await ask("PUT", `/specs/@global:operations:${name}`, { body: { schema: {} } });
    if (status !== 201) throw new Error(JSON.stringify(body));
  }
  const crew = await consumers(members, { url, token, brokerPort: broker.port });
  await Promise.all(crew.all.map((each) => each.ready()));
  const chance = newChance(seed);
  const load = newLoad(ask, chance);
  return {
    ...{ broker, server, serverFrames, crew, ask, chance, load, dead: deadLetters({ broker, load, crew }) },
    of: (queue) => crew.all.filter(({ orders }) => orders.queue === queue),
  };
}
