// Several ask for the same at once.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Caller, restScene } from "./scene.ts";

const scene = await restScene();
const ada = await scene.caller("ada");

function register(caller: Caller, room: string) {
  return caller.put(`/rooms/${room}/jobs`, { category: "modifiers", name: "X" });
}

test("of many who register a job at once one makes it, and all are linked to it", async () => {
  const replies = await Promise.all(Array.from({ length: 10 }, () => register(ada, "many")));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [...Array(9).fill(200), 201]);
  assert.equal(new Set(replies.map(({ body }) => body.id)).size, 1);
  const { workers } = (await ada.get("/rooms/many/jobs/many:modifiers:X")).body;
  assert.deepEqual([...workers].sort(), replies.map(({ body }) => body.worker_id).sort());
});

test("of many who delete a worker at once one does", async () => {
  const { id } = (await ada.post("/workers")).body;
  const replies = await Promise.all(Array.from({ length: 5 }, () => ada.delete(`/workers/${id}`)));
  assert.ok(replies.every(({ status }) => status === 204 || status === 404));
  assert.ok(replies.some(({ status }) => status === 204));
  const { items } = (await ada.get(`/workers/${id}/events`)).body;
  assert.equal(items.filter(({ type }: { type: string }) => type === "worker.deleted").length, 1);
});

test("a task that is accepted while the last worker goes still has its job", async () => {
  for (let round = 0; round < 40; round += 1) {
    const room = `race-${round}`;
    const { worker_id } = (await register(ada, room)).body;
    const submit = async () => (await ada.post(`/rooms/${room}/tasks/${room}:modifiers:X`, {})).status;
    // Each round the worker goes a little later.
    const remove = async () => {
      for (let n = 0; n < round % 5; n += 1) await ada.get("/workers?limit=0");
      return (await ada.delete(`/workers/${worker_id}`)).status;
    };
    const [gone, ...answers] = await Promise.all([remove(), submit(), submit(), submit()]);
    assert.equal(gone, 204);
    assert.ok(answers.every((status) => status === 202 || status === 404));
    const job = await ada.get(`/rooms/${room}/jobs/${room}:modifiers:X`);
    assert.equal(job.status, answers.includes(202) ? 200 : 404, `round ${round}`);
  }
});

test("a job that is registered while its last worker goes is there", async () => {
  for (let round = 0; round < 40; round += 1) {
    const room = `back-${round}`;
    const { worker_id } = (await register(ada, room)).body;
    const [made] = await Promise.all([register(ada, room), ada.delete(`/workers/${worker_id}`)]);
    const job = await ada.get(`/rooms/${room}/jobs/${room}:modifiers:X`);
    assert.deepEqual(job.body.workers, [made.body.worker_id], `round ${round}`);
  }
});
