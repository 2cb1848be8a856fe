// Reads of what a provider answered before, over connections that stay open.

import { providerQuestion } from "../../../src/core/provider.ts";
import { concurrently } from "../../concurrently.ts";
import { type Measured, type MeasureInput, parameter } from "../../measure.ts";
import { benchServer, expect, rateOf, room } from "../../rest/bench-server.ts";
import type { Connection } from "../../rest/connection.ts";

const answerBytes = 1_024;

export async function measure(input: MeasureInput): Promise<Measured> {
  const reads = parameter(input, "reads");
  const server = await benchServer(input);
  const connections = await server.connections(parameter(input, "connections"));
  const first = connections[0] as Connection;
  const register = server.request("PUT", `/v1/rooms/${room}/providers`, { category: "bench", name: "Notes" });
  const { status, body } = await first.ask(register);
  if (status !== 200 && status !== 201) throw new Error(`A provider was refused: ${status} ${body}`);
  const { id, full_name } = JSON.parse(body) as { id: string; full_name: string };

  const answer = JSON.stringify({ text: "x".repeat(answerBytes - 11) });
  const { hash } = providerQuestion(new Map([["name", "a"]]));
  const upload = server.request("POST", `/v1/providers/${id}/results`, answer, `X-Request-Hash: ${hash}\r\n`);
  expect(await first.ask(upload), 204);
  const read = server.request("GET", `/v1/rooms/${room}/providers/${full_name}?name=a`);

  async function readAll(count: number): Promise<void> {
    let asked = 0;
    const again = async (connection: Connection): Promise<boolean> => {
      if (asked >= count) return false;
      asked += 1;
      if (expect(await connection.ask(read), 200) !== answer)
        throw new Error("A read was answered with something else");
      return true;
    };
    await Promise.all(connections.map((connection) => concurrently(1, () => again(connection))));
  }
  await readAll(Math.ceil(reads / 5));
  const timing = await server.timed("reads", () => readAll(reads));
  for (const connection of connections) connection.close();
  await server.stop();
  return { figures: rateOf("reads", timing, reads) };
}
