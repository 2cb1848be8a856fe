// Frames that do not come through, on a connection that stays.

import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../../src/testing/until.ts";
import { anAssignment, fakeServer } from "./fake-server.ts";
import { hired, name } from "./hired.ts";

test("a result that is not answered is told again on the same connection, until it is", async () => {
  const { connection, endings, fake } = await hired(() => "told", {}, await fakeServer({ acks: false }));
  const job = anAssignment(name);
  connection.assign(job);
  const [first, second] = await connection.resulted(2);
  assert.deepEqual(second, first);
  connection.ack({ jobId: job.id, attempt: 1 });
  await until("it is through", () => endings.length === 1);
  assert.equal(fake.connections.length, 1);
});

test("a worker to whom an assignment has not come connects anew, and does not list it", async () => {
  let finish: (value: unknown) => void = () => {};
  const handler = () =>
    new Promise((resolve) => {
      finish = resolve;
    });
  const { connection, fake, ids, log } = await hired(handler, { concurrency: 3 });
  const [came, late] = [anAssignment(name), anAssignment(name)];
  connection.assign(came);
  connection.say({ type: "assignment", seq: 3, job: late });
  const second = await fake.connection(2);
  const { registration } = await second.welcome({ workerId: ids[0] ?? "", resumed: true });
  assert.deepEqual(
    registration?.resume?.jobs.map(({ jobId }) => jobId),
    [came.id],
  );
  assert.ok(log.lines.some(({ fields }) => String(fields["why"]).includes("has not come")));
  finish("done");
});
