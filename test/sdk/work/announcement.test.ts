import assert from "node:assert/strict";
import { after, test } from "node:test";
import { z } from "zod";
import { specChecksum } from "../../../src/core/checksum.ts";
import { until } from "../../../src/testing/until.ts";
import { hire } from "../scene.ts";
import { type Asked, fakeServer } from "./fake-server.ts";
import { hired, name, onWork } from "./hired.ts";
import { said } from "./said.ts";

const problem = (status: number, code: string) => ({
  status,
  body: { type: `/v1/problems/${code}`, title: code, status, detail: `It says ${code}` },
});

test("a job that is there already is left as it is, and one that may not be made is an error in words", async () => {
  for (const there of [problem(412, "precondition-failed"), problem(403, "forbidden")]) {
    const fake = await fakeServer({ answer: ({ method }) => (method === "PUT" ? there : undefined) });
    const { start } = onWork(fake, () => 1);
    const started = start();
    await (await fake.connection(1)).welcome();
    await started;
  }
  const answer = ({ method }: Asked) => (method === "PUT" ? problem(403, "forbidden") : problem(404, "job-not-found"));
  const { start } = onWork(await fakeServer({ answer }), () => 1);
  await assert.rejects(start(), /'@global:modifiers:Rotate' was not registered: It says forbidden/);
});

test("what the server takes of a schema is what is announced, and another's word for it is taken over", async () => {
  const input = z.object({ word: z.string().regex(/^(?!no$)/) });
  const { $schema: _, ...whole } = input.toJSONSchema({ io: "input" }) as { $schema?: string };
  const fake = await fakeServer({
    answer: ({ body }) =>
      JSON.stringify(body ?? {}).includes("pattern") ? problem(422, "invalid-request") : undefined,
  });
  const where = { url: fake.url, token: "t" };
  const { start, log } = hire(where, (each) => each.job(name, { input }, () => 1), { link: "work" });
  after(() => fake.close());
  const started = start();
  const connection = await fake.connection(1);
  const checksum = fake.asked.filter(({ method }) => method === "PUT").map(({ body }) => specChecksum(body));
  assert.equal(checksum[0], specChecksum({ schema: whole as never }));
  const specs = [{ id: name, accepted: false, reason: "checksum" as const, checksum: specChecksum({ schema: {} }) }];
  const { registration } = await connection.welcome({ specs });
  await started;
  assert.equal(registration?.specs[0]?.checksum, checksum[1]);
  const again = () => connection.heartbeats.slice(1).find((each) => each.registration)?.registration;
  await until("it announces the other", () => again() !== undefined);
  assert.equal(again()?.specs[0]?.checksum, specChecksum({ schema: {} }));
  assert.ok(said(log, "checks less") && !said(log, "NO TASKS"));
});

test("a job of which the server gives no tasks is told of once, and so is its return", async () => {
  const { connection, log, fake } = await hired(() => 1, { register: "never" });
  assert.deepEqual(fake.asked, []);
  const verdict = (accepted: boolean) =>
    connection.say<"specs">({
      type: "specs",
      specs: [{ id: name, accepted, ...(!accepted && { reason: "checksum" }) }],
    });
  verdict(false);
  verdict(false);
  verdict(true);
  await until("it is told of", () => said(log, "tasks of the job again"));
  assert.equal(log.lines.filter(({ message }) => message.includes("NO TASKS")).length, 1);
});
