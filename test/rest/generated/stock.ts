// A little honest work between the batches, so that there is always a task waiting, one claimed, one running and one over, and
// a provider that has answered something.

import type { RequestWords } from "../wire.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
type Ask = (operation: string, token: string | null, words: RequestWords) => Promise<any>;

/** The hash of the question without parameters. */
const unasked = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";

/** By the first two of the callers, who may write to the room `lab`. */
export async function stockUp(ask: Ask, tokens: readonly (string | null)[]): Promise<void> {
  for (const [nth, token] of tokens.slice(0, 2).entries()) {
    const send = (operation: string, method: string, target: string, body: unknown, headers = {}) =>
      ask(operation, token, { method, target, headers, body: JSON.stringify(body) });
    const job = { category: "analysis", name: "Stock", schema: {} };
    const { worker_id } = await send("registerJob", "PUT", "/v1/rooms/lab/jobs", job);
    // Somebody may have paused them in the batch before.
    const [admin] = tokens as [string];
    const byAdmin = { method: "POST", headers: {}, body: "{}" };
    await ask("resumeQueue", admin, { ...byAdmin, target: "/v1/queues/default/resume" });
    await ask("resumeJob", admin, { ...byAdmin, target: "/v1/jobs/lab:analysis:Stock/resume" });
    const schema = JSON.stringify({ schema: {} });
    await ask("putSpec", admin, { ...byAdmin, method: "PUT", target: "/v1/specs/stock", body: schema });
    await ask("deleteSpec", admin, { ...byAdmin, method: "DELETE", target: "/v1/specs/stock" });
    const tasks = Array.from({ length: 24 }, () => ({ job: "lab:analysis:Stock" }));
    const { items } = await send("submitTasks", "POST", "/v1/rooms/lab/tasks", { tasks });
    const claimed = await send("claimTasks", "POST", "/v1/tasks/claim", { worker_id, limit: 10 });
    const push = { url: "https://127.0.0.1:9/" };
    await send("registerJob", "PUT", "/v1/rooms/lab/jobs", { ...job, name: "Pushed", push });
    const provider = { category: "files", name: `Stock-${nth}` };
    const { id } = await send("registerProvider", "PUT", "/v1/rooms/lab/providers", provider);
    await send("uploadResult", "POST", `/v1/providers/${id}/results`, "said", { "x-request-hash": unasked });
    for (const [place, { id, lease_token }] of claimed.tasks.slice(0, 8).entries()) {
      await send("settleTask", "PATCH", `/v1/tasks/${id}`, { status: "running", lease_token });
      if (place < 2) await send("settleTask", "PATCH", `/v1/tasks/${id}`, { status: "completed", lease_token });
    }
    // What chance alone seldom does.
    const [over, , parent] = claimed.tasks;
    await ask("deleteTask", admin, { ...byAdmin, method: "DELETE", target: `/v1/tasks/${over.id}` });
    const [, , , busy, tired] = claimed.tasks;
    const done = { current: 1, total: 2, lease_token: busy.lease_token };
    await send("reportProgress", "POST", `/v1/tasks/${busy.id}/progress`, done);
    const lines = { lines: [{ level: "info", message: "half way" }], lease_token: busy.lease_token };
    await send("appendLogs", "POST", `/v1/tasks/${busy.id}/logs`, lines);
    await send("releaseTask", "POST", `/v1/tasks/${tired.id}/release`, { lease_token: tired.lease_token });
    await send("deferTask", "POST", `/v1/tasks/${parent.id}/defer`, { total: 1, lease_token: parent.lease_token });
    await send("claimTask", "POST", `/v1/tasks/${items.at(-1).id}/claim`, { worker_id });
  }
}
