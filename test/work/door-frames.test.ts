import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../../src/core/problem.ts";
import { taskId } from "../../src/testing/builders.ts";
import { until } from "../../src/testing/until.ts";
import { doorScene, heartbeat, registration, type Seat, welcomed } from "./door-scene.ts";

const small = { "body-bytes-max": "65536", "payload-bytes-max": "65536" };
const scene = await doorScene(small);
const deep = `{"type":"heartbeat","seq":1,"ready":0,"results":${"[".repeat(300)}${"]".repeat(300)}}`;

for (const [what, sent, pointer] of [
  ["text that is not JSON", "{", ""],
  ["JSON that is no object", "[1]", ""],
  ["JSON that is nested too deep", deep, "/results(/0)+"],
  ["a message without a type", "{}", "/type"],
  ["a type that is no text", '{"type":7}', "/type"],
  ["a heartbeat without `ready`", '{"type":"heartbeat","seq":1}', "/ready"],
  ["a result without an attempt", { results: [{ jobId: taskId(1), outcome: "succeeded" }] }, "/results/0/attempt"],
  [
    "an outcome that there is not",
    { results: [{ jobId: taskId(1), attempt: 1, outcome: "lost" }] },
    "/results/0/outcome",
  ],
  ["a job that is no id", { status: { jobs: [{ jobId: "7", attempt: 1 }] } }, "/status/jobs/0/jobId"],
  ["more wishes than anyone can have", { ready: 20_001 }, "/ready"],
] as const) {
  test(`${what}: the field is named, the connection ends with 4400, and nobody else notices`, async () => {
    const [{ client, seat }, other] = [await welcomed(scene), await welcomed(scene)];
    client.send(typeof sent === "string" ? sent : heartbeat(sent));
    const { problem } = await client.hears("error");
    assert.equal(problem.type, "/v1/problems/invalid-request");
    assert.match(problem.errors[0].pointer, new RegExp(`^${pointer}$`));
    assert.equal(await client.ends(), 4400);
    await until("the desk hears of it", () => seat.left.length > 0);
    assert.deepEqual([seat.left, seat.beats.length], [["cut"], 1]);
    assert.equal(other.client.code, null);
    other.client.ws.close();
  });
}

test("a heartbeat without registration before any other, and a binary frame: 4400", async () => {
  const [early, binary] = [await scene.connect(), await scene.connect()];
  early.send(heartbeat());
  binary.ws.send(Buffer.from(JSON.stringify(heartbeat({ registration }))));
  assert.equal((await early.hears("error")).problem.errors[0].pointer, "/registration");
  assert.equal((await binary.hears("error")).problem.detail, "The request must be a text frame");
  assert.deepEqual([await early.ends(), await binary.ends()], [4400, 4400]);
});

test("whoever is refused is given nothing more, though the connection is not closed yet", async () => {
  const { client, seat } = await welcomed(scene);
  const before: string[] = [];
  client.ws.once("close", () => before.push(...seat.left));
  client.send("{");
  await client.ends();
  assert.deepEqual(before, ["cut"]);
});

test("text that is not UTF-8: 4400; a frame larger than allowed: 4413", async () => {
  const [{ client: garbled }, { client: large }] = [await welcomed(scene), await welcomed(scene)];
  garbled.ws.send(Buffer.from([0x22, 0xff, 0x22]), { binary: false });
  large.send(" ".repeat(65_537));
  assert.equal((await large.hears("error")).problem.type, "/v1/problems/payload-too-large");
  assert.deepEqual([await garbled.ends(), await large.ends()], [4400, 4413]);
});

test("types and fields that are not known are ignored", async () => {
  const { client, seat } = await welcomed(scene);
  client.send({ type: "hello", results: 7 });
  client.send(heartbeat({ ready: 3, mood: "good" }));
  await until("the beat is heard", () => seat.beats.length === 2);
  assert.equal(seat.beats[1]?.ready, 3);
});

test("while too much of what it said waits to be written, a worker is not listened to, but it is there", async () => {
  const { client, seat } = await welcomed(scene);
  const { promise, resolve } = Promise.withResolvers<void>();
  seat.relief = promise;
  client.send(heartbeat({ ready: 1 }));
  await until("the beat is heard", () => seat.beats.length === 2);
  client.send(heartbeat({ ready: 2 }));
  client.ws.ping();
  await new Promise((heard) => client.ws.once("pong", heard));
  assert.deepEqual([seat.beats.length, seat.spoken], [2, 1]);
  seat.relief = null;
  resolve();
  await until("the next is heard", () => seat.beats.length === 3);
});

test("a heartbeat is told to the desk whole", async () => {
  const { client, seat } = await welcomed(scene);
  const [jobId, attempt] = [taskId(1), 2];
  const ts = "2026-01-01T00:00:01.500Z";
  client.send(
    heartbeat({
      ...{ ready: 4, ackedAssignment: 9, echo: 17, state: "draining" },
      status: {
        worker: { cpuPercent: 12.5, ramBytes: 100, loopLagMs: null },
        jobs: [
          { jobId, attempt, state: "running", progress: { current: 3, total: 10, message: "page 3" } },
          { jobId, attempt },
        ],
        logs: [
          { jobId, attempt, seq: 1, ts, level: "warn", message: "hot" },
          { jobId, attempt, level: "info", message: "" },
        ],
        alerts: [
          { ts, severity: "warning", code: "disk_low", message: "7 %", jobId: null },
          { severity: "error", code: "fan", message: "", jobId: jobId.toUpperCase() },
        ],
      },
      acks: [{ id: jobId.toUpperCase() }, { id: jobId, ok: false, detail: "no" }],
    }),
  );
  client.send(heartbeat({ echo: "18", status: { worker: { ramBytes: 200 } } }));
  await until("both are heard", () => seat.beats.length === 3);
  const [task, at] = [jobId, Date.parse(ts)];
  assert.deepEqual(seat.beats[1], {
    ...{ ready: 4, acked: 9, echo: 17, draining: true },
    condition: { cpuPercent: 12.5, ramBytes: 100, loopLagMs: null },
    progress: [{ task, attempt, report: { current: 3, total: 10, message: "page 3" } }],
    logs: [
      { task, attempt, level: "warn", message: "hot", at },
      { task, attempt, level: "info", message: "", at: null },
    ],
    alerts: [
      { severity: "warning", code: "disk_low", message: "7 %", task: null, at },
      { severity: "error", code: "fan", message: "", task, at: null },
    ],
    results: [],
    acks: [
      { id: task, ok: true, detail: null },
      { id: task, ok: false, detail: "no" },
    ],
  });
  const { condition, echo, acked } = seat.beats[2] ?? {};
  assert.deepEqual(condition, { ramBytes: 200 }, "changes alone");
  assert.deepEqual([echo, acked], [18, null]);
});

test("results, details and checkpoints are kept as they were written", async () => {
  const { client, seat } = await welcomed(scene);
  const held = `"jobId":"${taskId(1)}","attempt":1`;
  const results = [
    `{${held},"outcome":"succeeded","data": {"b":1.0,"a":12345678901234567890} }`,
    `{${held},"outcome":"succeeded"}`,
    `{${held},"outcome":"succeeded","data":null}`,
    `{"data":1,${held},"outcome":"succeeded","d\\u0061ta":[2.50]}`,
    `{${held},"outcome":"failed","error":{"message":"no","code":"E","details":{"x": 1e2},"retryable":false}}`,
    `{${held},"outcome":"failed"}`,
    `{${held},"outcome":"released","delayMs":50,"checkpoint":[ 1 ]}`,
    `{${held},"outcome":"released"}`,
  ];
  client.send(`{"type":"heartbeat","seq":1000000,"ready":0,"results":[${results.join(" , ")}]}`);
  await until("the beat is heard", () => seat.beats.length === 2);
  assert.deepEqual(
    seat.beats[1]?.results.map(({ move }) => move),
    [
      { type: "complete", result: '{"b":1.0,"a":12345678901234567890}' },
      { type: "complete", result: null },
      { type: "complete", result: "null" },
      { type: "complete", result: "[2.50]" },
      { type: "fail", error: { message: "no", code: "E", details: '{"x": 1e2}' }, retryable: false },
      { type: "fail", error: { message: "The worker gave no reason", code: null, details: null }, retryable: true },
      { type: "release", reason: "released", delayMs: 50, checkpoint: "[ 1 ]" },
      { type: "release", reason: "released" },
    ],
  );
});

test("a later registration replaces the former one, and is answered with the verdicts", async () => {
  const { client, seat } = await welcomed(scene);
  client.send(heartbeat({ ready: 1, registration: { ...registration, specs: [{ id: "other" }] } }));
  assert.deepEqual(await client.hears("specs"), {
    type: "specs",
    specs: [{ id: "other", accepted: false, reason: "checksum" }],
  });
  assert.deepEqual([seat.changes.length, seat.changes[0]?.specs.length, seat.beats.length], [1, 1, 2]);
});

/** A desk that lets nobody in before it is told to. */
async function slowEntry() {
  const own = await doorScene(small);
  const opened = Promise.withResolvers<void>();
  // It may be told no before anybody has asked.
  opened.promise.catch(() => undefined);
  own.desk.before(() => opened.promise);
  const client = await own.connect();
  client.send(heartbeat({ registration }));
  return { own, client, opened };
}

test("heartbeats that come while the first is being taken are taken after it, in order", async () => {
  const { own, client, opened } = await slowEntry();
  for (let ready = 1; ready <= 100; ready += 1) client.send(heartbeat({ ready }));
  await until("all are there", async () => (await own.metric('leadhand_work_frames_total{direction="in"}')) === 101);
  opened.resolve();
  await until("all are taken", () => own.desk.seats[0]?.beats.length === 101);
  assert.deepEqual(
    own.desk.seats[0]?.beats.map(({ ready }) => ready),
    [...Array(101).keys()],
  );
});

test("more than a hundred of them are too many", async () => {
  const { own, client, opened } = await slowEntry();
  for (let ready = 1; ready <= 101; ready += 1) client.send(heartbeat({ ready }));
  assert.equal(await client.ends(), 4400);
  opened.resolve();
  await until("it is let in, and leaves", () => own.desk.seats[0]?.left.length === 1);
  assert.equal(own.desk.seats[0]?.beats.at(-1)?.ready, 0, "nobody is there to be given work");
});

test("a worker that is not let in is told why, and whether to come later", async () => {
  for (const [code, ends] of [
    ["forbidden", 4401],
    ["store-unavailable", 1013],
    ["stopping", 1001],
    ["internal-error", 1011],
  ] as const) {
    const { client, opened } = await slowEntry();
    opened.reject(new Problem(code, "No"));
    assert.equal((await client.hears("error")).problem.type, `/v1/problems/${code}`);
    assert.equal(await client.ends(), ends);
  }
});

test("results of a worker that hangs up while it is let in still count, and then it leaves", async () => {
  const { own, client, opened } = await slowEntry();
  client.send(heartbeat({ ready: 5, results: [{ jobId: taskId(1), attempt: 1, outcome: "succeeded" }] }));
  client.ws.close(1000);
  await client.ends();
  opened.resolve();
  const seat = () => own.desk.seats[0] as Seat;
  await until("it leaves", () => own.desk.seats.length === 1 && seat().left.length === 1);
  assert.deepEqual([seat().left, seat().beats[1]?.results.length, seat().beats[1]?.ready], [["cut"], 1, 0]);
});

test("a heartbeat that was sent before, or comes out of order, ends the connection", async () => {
  const { client } = await welcomed(scene);
  client.send(heartbeat({ seq: 2_000_000 }));
  client.send(heartbeat({ seq: 2_000_000 }));
  assert.equal(await client.ends(), 4400);
  assert.match(JSON.stringify(client.heard.at(-1)), /\/seq/);
});
