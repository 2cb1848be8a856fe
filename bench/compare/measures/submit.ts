// Single submits, so many calls under way at once in one process. It has no network door of its own, so calls are
// what its users make.

import { concurrently } from "../../concurrently.ts";
import { type Measured, type MeasureInput, parameter, word } from "../../measure.ts";
import { type Producer, systemOf } from "../system.ts";

export async function measure(input: MeasureInput): Promise<Measured> {
  const [tasks, clients] = [parameter(input, "tasks"), parameter(input, "clients")];
  const producer = await (await systemOf(word(input, "system"))).produce(input);
  await submit(producer, clients, Math.ceil(tasks / 5));
  const { ms } = await input.timed("submit", () => submit(producer, clients, tasks));
  await producer.stop();
  return { figures: { submits: (1_000 * tasks) / ms } };
}

async function submit(producer: Producer, clients: number, tasks: number): Promise<void> {
  let sent = 0;
  await concurrently(clients, async () => {
    if (sent >= tasks) return false;
    sent += 1;
    await producer.submit(sent);
    return true;
  });
}
