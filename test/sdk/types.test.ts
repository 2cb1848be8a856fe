// What the compiler knows of jobs. The compiler is the test: a line that stops being an error fails the type check.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import { type Client, type JobDefinition, job, Worker } from "../../src/sdk/index.ts";

const name = "@global:modifiers:Rotate";

/** Only if the two types are the same. */
function same<A>() {
  return <B>(_value: B, _proof: [A] extends [B] ? ([B] extends [A] ? true : never) : never): void => {};
}

test("a handler's input has the type that comes out of zod, valibot and arktype", () => {
  job(name, { input: z.object({ angle: z.number().default(0) }) }, ({ input }) =>
    same<{ angle: number }>()(input, true),
  );
  job(name, { input: v.object({ angle: v.optional(v.number(), 0) }) }, ({ input }) => {
    same<{ angle: number }>()(input, true);
  });
  job(name, { input: type({ angle: "number = 0" }) }, ({ input }) => same<{ angle: number }>()(input, true));
  // @ts-expect-error There is no such field.
  job(name, { input: z.object({ angle: z.number() }) }, ({ input }) => input.angel);
  job(name, { input: { type: "object" } }, ({ input }) => same<unknown>()(input, true));
  assert.ok(true);
});

test("a handler answers what its output schema says", () => {
  const output = z.object({ ok: z.boolean() });
  job(name, { output }, () => ({ ok: true }));
  job(name, { output }, async () => ({ ok: true }));
  // @ts-expect-error A text is no boolean.
  job(name, { output }, () => ({ ok: "yes" }));
  const worker = new Worker({ token: "none" });
  worker.job(name, { input: z.object({ angle: z.number() }) }, ({ input }) => input.angle);
  // @ts-expect-error The same in a worker.
  worker.job("@global:modifiers:Other", { input: z.object({ angle: z.number() }) }, ({ input }) => input.angel);
});

test("a client knows payload and result of a job that is imported", () => {
  const rotate = job(name, { input: z.object({ angle: z.number().default(0) }) }, async ({ input }) => ({
    turned: input.angle,
  }));
  const every: readonly JobDefinition[] = [rotate, job(name, {}, () => 1)];
  assert.equal(every.length, 2);
  const asked = async (client: Client): Promise<void> => {
    same<{ turned: number }>()(await client.run(rotate, {}), true);
    same<{ turned: number }>()(await client.run(rotate, { angle: 1 }), true);
    same<{ turned: number } | null>()((await client.submit(rotate, { angle: 1 })).result, true);
    // @ts-expect-error A text is no angle.
    await client.run(rotate, { angle: "left" });
    same<unknown>()(await client.run(name, { anything: 1 }), true);
    same<number>()(await client.run<number>(name, { anything: 1 }), true);
  };
  assert.equal(typeof asked, "function");
});
