import assert from "node:assert/strict";
import { type AlertSeverity, alertData, alertType } from "../../core/alert.ts";
import type { AlertFilter } from "../../ports/store-reads.ts";
import { aWorkerEvent, taskId, workerId } from "../builders.ts";
import { worldStart } from "../manual-clock.ts";
import type { Example } from "./stage.ts";

export function alertExamples(example: Example): void {
  example("alerts of all workers are read, the last written first, narrowed and in pages", async (stage) => {
    await stage.begin();
    const alert = (n: number, worker: number, severity: AlertSeverity, message = `alert ${n}`) => {
      const data = alertData({ severity, code: `c${n}`, message, task: n === 2 ? taskId(1) : null, at: null });
      return aWorkerEvent({ worker: workerId(worker), at: worldStart + n, type: alertType, data });
    };
    const all = [
      alert(1, 1, "info"),
      alert(2, 2, "error", '{"severity":"info",'),
      alert(3, 1, "error", "\u0000 \ud800 µ"),
      alert(0, 3, "critical"),
    ];
    await stage.store.append({
      workerEvents: [all[0] as (typeof all)[0], aWorkerEvent({ type: "worker.registered" })],
    });
    await stage.store.append({ workerEvents: all.slice(1) });
    const read = async (filter: AlertFilter, limit = 100, offset = 0) => {
      const { items, total, totalExact } = await stage.store.read("alerts", { ...filter, limit, offset });
      assert.equal(totalExact, true);
      return [total, ...items.map((each) => all.findIndex(({ data }) => data === each.data))];
    };
    const { items } = await stage.store.read("alerts", { limit: 4, offset: 0 });
    assert.deepStrictEqual(items, [...all].reverse());
    assert.deepEqual(await read({}), [4, 3, 2, 1, 0]);
    assert.deepEqual(await read({}, 2, 1), [4, 2, 1]);
    assert.deepEqual(await read({ severity: "error" }), [2, 2, 1]);
    assert.deepEqual(await read({ severity: "info" }), [1, 0]);
    assert.deepEqual(await read({ severity: "warning" }), [0]);
    assert.deepEqual(await read({ workers: [workerId(1), workerId(3)] }), [3, 3, 2, 0]);
    assert.deepEqual(await read({ workers: [] }), [0]);
    assert.deepEqual(await read({ since: worldStart + 2 }), [2, 2, 1]);
    assert.deepEqual(await read({ since: worldStart + 2, workers: [workerId(1)], severity: "error" }), [1, 2]);
  });
}
