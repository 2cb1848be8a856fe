// A worker goes on with another connection while claims for its last one are still under way. What they bring has to go
// on too: its worker lives, so nobody would look for it in its hands.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Store } from "../../ports/store.ts";
import { type Crew, type House, heldBy, house, idsOf, job } from "../../testing/work-house.ts";
import { settled } from "../../testing/world.ts";
import type { HeldAttempt } from "../letting-go.ts";

/** A gate in front of something; open until it is closed. */
function gate() {
  let [wait, open] = [Promise.resolve(), (): void => {}];
  return {
    pass: () => wait,
    close() {
      wait = new Promise((resolve) => {
        open = resolve;
      });
    },
    open: () => open(),
  };
}

const resumeOf = ({ session }: Crew, held: readonly HeldAttempt[] = []) => ({
  resume: { worker: session.worker, token: session.token, held },
});

/** Another server of the same database, which hears nothing of this one. */
function elsewhere({ store, clock }: House): Promise<House> {
  const deaf = { start: async () => {}, stop: async () => {}, publish() {}, company() {} };
  return house({ store, clock, source: 2, bus: { ...deaf, wanted: () => false, subscribe: () => () => {} } });
}

test("what is claimed for a connection while its worker comes back by another reaches the worker", async () => {
  const registered = gate();
  const between = (store: Store): Store => ({
    ...store,
    async amend(...args) {
      const answer = await store.amend(...args);
      if (args[0].heldBy !== undefined) await registered.pass();
      return answer;
    },
  });
  const h = await house({ between });
  await h.job(job);
  const crew = await h.connect();
  await crew.say({ ready: 1, acked: 0 });
  registered.close();
  const coming = h.connect(resumeOf(crew));
  await settled();
  const { card } = await h.submit(job);
  await settled();
  registered.open();
  const again = await coming;
  await again.say({ ready: 1, acked: 0 });
  assert.deepEqual(idsOf(again), [card.id]);
});

test("what a server claims for a worker that has gone to another server goes back", async () => {
  const h = await house();
  await h.job(job);
  const crew = await h.connect();
  await crew.say({ ready: 1, acked: 0 });
  const there = await elsewhere(h);
  const again = await there.connect(resumeOf(crew));
  const { card } = await h.submit(job);
  await settled();
  assert.deepEqual(idsOf(crew), [card.id], "it is sent where nobody is any more");
  for (let second = 0; second < 10; second += 1) {
    await again.say({ ready: 1, acked: again.got.length });
    again.session.tick();
    crew.session.tick();
    await there.pass(1_000);
  }
  assert.deepEqual(idsOf(again), [card.id]);
  assert.equal((await h.task(card.id)).row.losses, 0);
});

test("a worker that goes on keeps what it has, however often it is counted", async () => {
  const h = await house();
  await h.job(job);
  const crew = await h.connect();
  await h.submit(job);
  await crew.say({ ready: 1, acked: 0 });
  const again = await h.connect(resumeOf(crew, heldBy(crew)));
  await h.submit(job);
  for (let second = 0; second < 10; second += 1) {
    await again.say({ ready: again.got.length === 0 ? 1 : 0, acked: again.got.length });
    again.session.tick();
    await h.pass(1_000);
  }
  for (const id of [...idsOf(crew), ...idsOf(again)]) {
    assert.deepEqual(await h.history(id), ["submitted", "assigned"]);
  }
});

test("a worker that only beats by another way gets nothing more on a connection that is silent", async () => {
  const h = await house();
  await h.job(job);
  const crew = await h.connect();
  await crew.say({ ready: 1, acked: 0 });
  for (let second = 0; second < 7; second += 1) {
    await h.engine.beat(crew.session.worker);
    crew.session.tick();
    await h.pass(1_000);
  }
  await h.submit(job);
  await settled();
  assert.deepEqual([crew.got.length, crew.closed.length], [0, 0]);
  await crew.say({ ready: 1, acked: 0 });
  assert.equal(crew.got.length, 1);
});

test("a connection that was slow to come in does not end the one that came after it", async () => {
  const reading = gate();
  const between = (store: Store): Store => ({
    ...store,
    async read(kind, query) {
      if (kind === "tasks") await reading.pass();
      return store.read(kind, query);
    },
  });
  const h = await house({ between });
  await h.job(job);
  const crew = await h.connect();
  await h.submit(job);
  await crew.say({ ready: 1, acked: 0 });
  await crew.session.leave("cut");
  reading.close();
  const slow = h.connect(resumeOf(crew, heldBy(crew)));
  await settled();
  const swift = await h.connect(resumeOf(crew));
  reading.open();
  await settled();
  assert.deepEqual([swift.closed, (await slow).closed], [[], ["replaced"]]);
});

test("a task that was cancelled while its worker was away is called off when the worker comes back", async () => {
  const h = await house();
  await h.job(job);
  const crew = await h.connect();
  const { card } = await h.submit(job);
  await crew.say({ ready: 1, acked: 0 });
  await crew.session.leave("cut");
  await h.engine.cancel({ id: card.id, actor: "ada" });
  await settled();
  const again = await h.connect(resumeOf(crew, heldBy(crew)));
  assert.deepEqual(again.session.lost, heldBy(crew));
});
