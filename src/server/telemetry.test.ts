import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { manualClock } from "../testing/manual-clock.ts";
import { recordedLog } from "../testing/recorded-log.ts";
import { type Depths, jobsListedMax } from "./depth-gauges.ts";
import { type ServerTelemetry, serverTelemetry } from "./telemetry.ts";

function telemetry() {
  const around = { clock: manualClock(), log: recordedLog(), version: "0" };
  return { ...around, told: serverTelemetry(around) };
}

async function scrape(told: ServerTelemetry): Promise<string[]> {
  const { body, contentType } = await told.metrics();
  assert.match(contentType, /^text\/plain/);
  return body.split("\n");
}

const noWorkers = { ONLINE: 0, UNREACHABLE: 0, OFFLINE: 0, DELETED: 0 };
const depths =
  (some: Partial<Depths>): (() => Promise<Depths>) =>
  async () => ({ jobs: [], workers: noWorkers, ...some });

test("moves and commits are counted by kind", async () => {
  const { told } = telemetry();
  told.moved("task.completed", 2);
  told.moved("task.completed", 3);
  told.committed("submit", 7, 4);
  const lines = await scrape(told);
  assert.ok(lines.includes('leadhand_moves_total{type="task.completed"} 5'));
  assert.ok(lines.includes('leadhand_moves_total{type="task.failed"} 0'));
  assert.ok(lines.includes('leadhand_commits_total{kind="submit"} 1'));
  assert.ok(lines.includes('leadhand_commit_seconds_bucket{le="0.005",kind="submit"} 1'));
  assert.ok(lines.includes('leadhand_commit_seconds_bucket{le="0.0025",kind="submit"} 0'));
  assert.ok(lines.includes('leadhand_batch_size_sum{kind="submit"} 7'));
});

test("counters only grow from scrape to scrape", async () => {
  const { told } = telemetry();
  told.moved("task.submitted", 1);
  await scrape(told);
  told.moved("task.submitted", 1);
  assert.ok((await scrape(told)).includes('leadhand_moves_total{type="task.submitted"} 2'));
});

test("lateness and skew are in seconds", async () => {
  const { told } = telemetry();
  told.sweptLate(1_500);
  told.pulseSkew(-20);
  const lines = await scrape(told);
  assert.ok(lines.includes("leadhand_sweep_lag_seconds 1.5"));
  assert.ok(lines.includes("leadhand_pulse_skew_seconds -0.02"));
});

test("depths are read when somebody asks, and a job that has emptied is gone", async () => {
  const { told } = telemetry();
  const jobs = [{ job: "@global:a:b", ready: 3, held: 1, oldestReadyMs: 2_500 }];
  told.setDepths(depths({ jobs, workers: { ...noWorkers, ONLINE: 4 } }));
  const lines = await scrape(told);
  assert.ok(lines.includes('leadhand_tasks_ready{job="@global:a:b"} 3'));
  assert.ok(lines.includes('leadhand_tasks_held{job="@global:a:b"} 1'));
  assert.ok(lines.includes('leadhand_oldest_ready_seconds{job="@global:a:b"} 2.5'));
  assert.ok(lines.includes('leadhand_workers{state="ONLINE"} 4'));
  assert.ok(!lines.some((line) => line.includes("DELETED")), "those that are gone are not counted");
  told.setDepths(depths({}));
  assert.ok(!(await scrape(told)).some((line) => line.includes("@global:a:b")));
});

test("of very many jobs the busiest are listed and the rest is summed up", async () => {
  const { told } = telemetry();
  const jobs = Array.from({ length: jobsListedMax + 10 }, (_, n) => ({
    job: `j${n}`,
    ready: n,
    held: 0,
    oldestReadyMs: n,
  }));
  told.setDepths(depths({ jobs }));
  const ready = (await scrape(told)).filter((line) => line.startsWith("leadhand_tasks_ready{"));
  assert.equal(ready.length, jobsListedMax);
  assert.ok(ready.includes('leadhand_tasks_ready{job="(others)"} 55'));
});

test("a store that is away or does not answer leaves the rest of the scrape alone", async () => {
  const { told, log, clock } = telemetry();
  told.setDepths(() => Promise.reject(new Error("away")));
  assert.ok((await scrape(told)).some((line) => line.startsWith("leadhand_moves_total")));
  told.setDepths(() => new Promise(() => undefined));
  const both = Promise.all([scrape(told), scrape(told)]);
  clock.advance(2_000);
  await both;
  assert.equal(log.lines.filter(({ level }) => level === "warn").length, 2, "two scrapes shared one read");
});

test("a span hands on what the work answers, and its failure", async () => {
  const { told } = telemetry();
  assert.equal(await told.span("work", { size: 1 }, async () => 5), 5);
  await assert.rejects(
    told.span("work", {}, () => Promise.reject(new Error("broken"))),
    /broken/,
  );
});

test("two servers in one process count for themselves", async () => {
  const [a, b] = [telemetry().told, telemetry().told];
  a.moved("task.lost", 1);
  assert.ok((await scrape(b)).includes('leadhand_moves_total{type="task.lost"} 0'));
});

test("a server says whether its broker is up only if it has one", async () => {
  const { told } = telemetry();
  assert.ok(!(await scrape(told)).some((line) => line.startsWith("leadhand_amqp")));
  let isUp = true;
  const looks = { "protea.jobs": { waiting: 4, consumers: 2 }, "protea.dead-letter": { waiting: 1, consumers: 0 } };
  const { published, confirmed } = told.amqp({
    isUp: () => isUp,
    queues: [...Object.keys(looks), "protea.away"],
    look: async (queue) => looks[queue as keyof typeof looks] ?? null,
  });
  published(3);
  confirmed(2);
  const messages = (step: string, count: number) => `leadhand_amqp_messages_total{step="${step}"} ${count}`;
  const lines = await scrape(told);
  const queues = [
    ...['messages{queue="protea.jobs"} 4', 'consumers{queue="protea.jobs"} 2'],
    ...['messages{queue="protea.dead-letter"} 1', 'consumers{queue="protea.dead-letter"} 0'],
  ].map((line) => `leadhand_amqp_queue_${line}`);
  for (const line of ["leadhand_amqp_up 1", messages("published", 3), messages("confirmed", 2), ...queues])
    assert.ok(lines.includes(line), line);
  assert.ok(!lines.some((line) => line.includes("protea.away")), "nobody can tell how full it is");
  isUp = false;
  assert.ok((await scrape(told)).includes("leadhand_amqp_up 0"));
});

test("the guide names every metric, and no other", async () => {
  const { told } = telemetry();
  told.setDepths(depths({}));
  told.amqp({ isUp: () => true, queues: [], look: async () => null });
  told.requests(() => 0);
  const lines = await scrape(told);
  const names = lines.flatMap((line) => /^# TYPE (leadhand_\w+)/.exec(line)?.[1] ?? []);
  const guide = readFileSync(new URL("../../docs/guides/observe.md", import.meta.url), "utf8");
  const named = [...guide.matchAll(/^\| `(leadhand_\w+)/gm)].map(([, name]) => name as string);
  assert.deepEqual(named.toSorted(), names.toSorted());
});
