// Submits of a thousand tasks in a call, with two calls under way.

import { type Measured, type MeasureInput, parameter, word } from "../../measure.ts";
import { systemOf } from "../system.ts";

export async function measure(input: MeasureInput): Promise<Measured> {
  const tasks = parameter(input, "tasks");
  const producer = await (await systemOf(word(input, "system"))).produce(input);
  await producer.submitMany(Math.ceil(tasks / 5));
  const { ms } = await input.timed("bulk", () => producer.submitMany(tasks));
  await producer.stop();
  return { figures: { tasks: (1_000 * tasks) / ms } };
}
