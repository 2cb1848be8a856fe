// The document's pipeline: a coordinator sends a message for each batch, a consumer of batches sends one on for each, and
// when the last of those was stored the coordinator has ended. From its submit to its end, several times.

import { type Measured, type MeasureInput, parameter } from "../../measure.ts";
import { type BenchServer, benchServer, expect, room } from "../../rest/bench-server.ts";
import type { Connection } from "../../rest/connection.ts";
import { emptyBroker } from "../broker.ts";
import { exact } from "../coordinator.ts";
import { costOf, timedCost } from "../cost.ts";
import { startCrew } from "../crew.ts";
import { rawUsEach } from "../raw-trip.ts";
import type { ConsumerWords } from "../words.ts";

export async function measure(input: MeasureInput): Promise<Measured> {
  const broker = await emptyBroker(input);
  const server = await benchServer(input);
  const [batches, items, runs, concurrency, prefetch] = [
    parameter(input, "batches"),
    parameter(input, "items"),
    parameter(input, "runs"),
    parameter(input, "concurrency"),
    parameter(input, "prefetch"),
  ];
  const where = { url: `http://127.0.0.1:${server.port}`, token: server.token, amqpUrl: broker.url, consumers: 1 };
  const of = (queue: string): ConsumerWords => ({ ...where, queue, kind: "operation", concurrency, prefetch });
  const words: readonly ConsumerWords[] = [
    { ...where, queue: "protea.embeddings", kind: "job", concurrency: 1, prefetch: 1 },
    of("protea.embeddings.batch"),
    of("protea.embeddings.write"),
  ];
  const crew = await startCrew("amqp/actors/consumer", words, input.profiles);
  const connection = await server.connect();
  const once = (): Promise<void> => coordinate(server, connection, batches, items);
  for (let run = 0; run < parameter(input, "warmUp"); run += 1) await once();
  const costly = await timedCost(input, "pipeline", { server, crew, broker }, async () => {
    for (let run = 0; run < runs; run += 1) await once();
  });
  connection.close();
  await Promise.all(crew.map((actor) => actor.stop()));
  const rawUs = await rawUsEach(broker);
  await server.stop();
  // Each batch is one message to whoever computes it, and one to whoever stores it.
  const messages = 2 * batches * runs;
  const messageUs = (1_000 * costly.ms) / messages;
  return {
    figures: {
      items: (1_000 * items * batches * runs) / costly.ms,
      ...{ messageUs, rawUs, overheadUs: messageUs - rawUs },
      ...costOf("items", costly, messages),
    },
  };
}

async function coordinate(server: BenchServer, connection: Connection, batches: number, items: number): Promise<void> {
  const path = `/v1/rooms/${room}/tasks/${room}:operations:coordinate`;
  const submit = server.request("POST", path, { payload: { batches, items }, queue: "protea.embeddings" });
  const { id } = JSON.parse(expect(await connection.ask(submit), 202)) as { id: string };
  await exact(server, id, batches);
}
