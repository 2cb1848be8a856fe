import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { creditOf, seenAfter } from "./credit.ts";

test("what a worker has not seen yet counts against what it wants", () => {
  assert.equal(creditOf({ ready: 2, sent: 10, seen: 9 }), 1);
  assert.equal(creditOf({ ready: 1, sent: 10, seen: 9 }), 0);
  assert.equal(creditOf({ ready: 0, sent: 10, seen: 8 }), 0);
});

test("a worker cannot have seen what was not sent, and does not unsee", () => {
  assert.equal(seenAfter({ sent: 3, seen: 1 }, 99), 3);
  assert.equal(seenAfter({ sent: 3, seen: 2 }, 1), 2);
});

/** Messages travel in order each way, and cross at will; whatever happens, a worker never has more than it has room for. */
test("however messages cross, a worker is never given more than it has room for", () => {
  const steps = fc.array(fc.constantFrom("beat", "deliver beat", "assign", "deliver assignment", "finish"), {
    maxLength: 200,
  });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), steps, (room, script) => {
      const worker = { seen: 0, running: 0 };
      const server = { ready: 0, sent: 0, seen: 0 };
      const toServer: { ready: number; acked: number }[] = [];
      const toWorker: number[] = [];
      for (const step of script) {
        if (step === "beat") toServer.push({ ready: room - worker.running, acked: worker.seen });
        if (step === "deliver beat") {
          const beat = toServer.shift();
          if (beat !== undefined) Object.assign(server, { ready: beat.ready, seen: seenAfter(server, beat.acked) });
        }
        if (step === "assign" && creditOf(server) > 0) {
          server.sent += 1;
          toWorker.push(server.sent);
        }
        if (step === "deliver assignment") {
          const seq = toWorker.shift();
          if (seq !== undefined) Object.assign(worker, { seen: seq, running: worker.running + 1 });
        }
        if (step === "finish" && worker.running > 0) worker.running -= 1;
        assert.ok(worker.running <= room);
      }
    }),
  );
});
