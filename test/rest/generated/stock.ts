// A little honest work between the batches, so that there is always a task waiting, one claimed, one running and one over, and
// a provider that has answered something.

import type { RequestWords } from "../wire.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
type Ask = (operation: string, token: string | null, words: RequestWords) => Promise<any>;

/** The hash of the question without parameters. */
const unasked = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";

const drain = JSON.stringify({ label: "stock=idle" });

/**
 * By the first two of the callers, who may write to the room `lab`. Each time with jobs of its own: acts on many tasks and cancels
 * that go on behind their answers still end tasks of the rounds before.
 */
export async function stockUp(ask: Ask, tokens: readonly (string | null)[], round: number): Promise<void> {
  for (const [nth, token] of tokens.slice(0, 2).entries()) {
    const send = (operation: string, method: string, target: string, body: unknown, headers = {}) =>
      ask(operation, token, { method, target, headers, body: JSON.stringify(body) });
    const job = { category: "analysis", name: `Stock-${round}-${nth}`, schema: {} };
    const fullName = `lab:analysis:${job.name}`;
    const { worker_id } = await send("registerJob", "PUT", "/v1/rooms/lab/jobs", job);
    // Somebody may have paused them in the batch before.
    const [admin] = tokens as [string];
    const byAdmin = { method: "POST", headers: {}, body: "{}" };
    await ask("resumeQueue", admin, { ...byAdmin, target: "/v1/queues/default/resume" });
    await ask("resumeJob", admin, { ...byAdmin, target: `/v1/jobs/${fullName}/resume` });
    const schema = JSON.stringify({ schema: {} });
    await ask("putSpec", admin, { ...byAdmin, method: "PUT", target: "/v1/specs/stock", body: schema });
    const specs = JSON.stringify({ specs: [{ id: "stock", schema: {} }] });
    await ask("putSpecs", admin, { ...byAdmin, target: "/v1/specs", body: specs });
    await ask("getSpec", admin, { ...byAdmin, method: "GET", target: "/v1/specs/stock" });
    await ask("deleteSpec", admin, { ...byAdmin, method: "DELETE", target: "/v1/specs/stock" });
    const newcomer = JSON.stringify({ user: "stock", role: "viewer" });
    const made = await ask("createToken", admin, { ...byAdmin, target: "/v1/tokens", body: newcomer });
    await ask("revokeToken", admin, { ...byAdmin, method: "DELETE", target: `/v1/tokens/${made.id}` });
    const tasks = Array.from({ length: 24 }, () => ({ job: fullName }));
    const { items } = await send("submitTasks", "POST", "/v1/rooms/lab/tasks", { tasks });
    const claimed = await send("claimTasks", "POST", "/v1/tasks/claim", { worker_id, limit: 10 });
    const push = { url: "https://127.0.0.1:9/" };
    await send("registerJob", "PUT", "/v1/rooms/lab/jobs", { ...job, name: "Pushed", push });
    const secret = "/v1/jobs/lab:analysis:Pushed/push-secret";
    await ask("getPushSecret", admin, { method: "GET", target: secret, headers: {} });
    const provider = { category: "files", name: `Stock-${nth}` };
    const { id } = await send("registerProvider", "PUT", "/v1/rooms/lab/providers", provider);
    await send("uploadResult", "POST", `/v1/providers/${id}/results`, "said", { "x-request-hash": unasked });
    for (const [place, { id, lease_token }] of claimed.tasks.slice(0, 8).entries()) {
      await send("settleTask", "PATCH", `/v1/tasks/${id}`, { status: "running", lease_token });
      if (place < 2) await send("settleTask", "PATCH", `/v1/tasks/${id}`, { status: "completed", lease_token });
    }
    // What chance alone seldom does.
    const toCheck = `/v1/rooms/lab/jobs/${fullName}/check`;
    await send("checkPayload", "POST", toCheck, { payload: { n: 1 } });
    await ask("listWorkerBeats", token, { method: "GET", target: `/v1/workers/${worker_id}/beats`, headers: {} });
    await ask("listWorkerSpecs", token, { method: "GET", target: `/v1/workers/${worker_id}/specs`, headers: {} });
    const [over, , parent] = claimed.tasks;
    await ask("deleteTask", admin, { ...byAdmin, method: "DELETE", target: `/v1/tasks/${over.id}` });
    const [, , , busy, tired, ended] = claimed.tasks;
    const results = [{ id: ended.id, attempt: ended.attempt, status: "completed" }];
    await send("settleTasks", "POST", "/v1/tasks/settle", { worker_id, results });
    const done = { current: 1, total: 2, lease_token: busy.lease_token };
    await send("reportProgress", "POST", `/v1/tasks/${busy.id}/progress`, done);
    const lines = { lines: [{ level: "info", message: "half way" }], lease_token: busy.lease_token };
    await send("appendLogs", "POST", `/v1/tasks/${busy.id}/logs`, lines);
    await send("releaseTask", "POST", `/v1/tasks/${tired.id}/release`, { lease_token: tired.lease_token });
    await send("deferTask", "POST", `/v1/tasks/${parent.id}/defer`, { total: 1, lease_token: parent.lease_token });
    await send("claimTask", "POST", `/v1/tasks/${items.at(-1).id}/claim`, { worker_id });
    const { id: failing, lease_token } = claimed.tasks[6];
    await send("settleTask", "PATCH", `/v1/tasks/${failing}`, { status: "failed", error: "Disk is full", lease_token });
    await send("retryTask", "POST", `/v1/tasks/${failing}/retry`, {});
    await send("evictTask", "POST", `/v1/tasks/${claimed.tasks[7].id}/evict`, {});
    await send("createWorker", "POST", "/v1/workers", { labels: { stock: "idle" } });
    await ask("drainWorkers", admin, { ...byAdmin, target: "/v1/workers/drain", body: drain });
    const byGet = { method: "GET", headers: {} };
    await ask("listTasks", admin, { ...byGet, target: "/v1/tasks?limit=2" });
    await ask("listRoomTasks", token, { ...byGet, target: "/v1/rooms/lab/tasks?limit=2" });
    const failures = await ask("listFailures", admin, { ...byGet, target: "/v1/failures" });
    const [{ fingerprint } = { fingerprint: "none-yet" }] = failures.items;
    await ask("getFailure", admin, { ...byGet, target: `/v1/failures/${fingerprint}` });
    const act = await send("beginAct", "POST", "/v1/tasks/acts", { act: "cancel", q: `id:${items.at(-2).id}` });
    const stopping = { method: "DELETE", target: `/v1/acts/${act.id}`, headers: {}, body: "" };
    await ask("getAct", token ?? null, { ...stopping, method: "GET" });
    await ask("stopAct", token ?? null, stopping);
  }
}
