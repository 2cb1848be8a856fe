// An hour of a picture archive, lived through in some seconds by a server whose clock is set back: charts, lists
// and figures of the next server on the same folder have something to show, and none of it is invented.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readConfig } from "../../src/server/config.ts";
import { systemFoundation } from "../../src/server/foundation.ts";
import { serverOn } from "../../src/server/server.ts";
import type { SystemClock } from "../../src/server/system.ts";
import { type Caller, callerAt } from "./caller.ts";
import { type PastWorker, pastJobs, pastWorkers } from "./past-fleet.ts";
import { endOf, submissionsOf } from "./past-work.ts";

export interface Past {
  /** Failed for good at its third attempt. */
  readonly stubborn: string;
}

const minutes = 66;
const minuteMs = 60_000;

export async function aPast(folder: string): Promise<Past> {
  const hour = await serverInThePast(folder, minutes * minuteMs);
  const workers = await hireAll(hour.admin);
  let stubborn = "";
  for (let minute = 0; minute < minutes; minute += 1) {
    await oneMinute(hour, workers, minute);
    if (minute === minutes - 25) stubborn = await thriceFailed(hour);
    if (minute === minutes - 12) await pauseCovers(hour.admin);
    const busy = minute - (minutes - workers.length);
    const worker = workers[busy];
    if (worker !== undefined) await setToWork(hour, worker, busy);
    hour.goOnUntil((minutes - minute - 1) * minuteMs);
  }
  for (const { id, status } of workers) await hour.admin.ask("PATCH", `/workers/${id}`, { status });
  await hour.stop();
  return { stubborn };
}

interface Hour {
  readonly admin: Caller;
  /** So many milliseconds pass. */
  goOn(ms: number): void;
  /** Until it is so many milliseconds before now. */
  goOnUntil(msAgo: number): void;
  stop(): Promise<void>;
}

async function serverInThePast(folder: string, ago: number): Promise<Hour> {
  let clock: SystemClock | undefined;
  let behind = ago;
  const setBack = (ms: number) => {
    behind = Math.max(0, Math.min(behind, ms));
    clock?.setOffset(-behind);
  };
  const environment = { LEADHAND_WORKER_TIMEOUT_SECONDS: "86400", LEADHAND_LOG_LEVEL: "error" };
  const { config } = readConfig({ environment, flags: { host: "127.0.0.1", port: "0", data: folder } });
  const past = serverOn(
    (parts) => {
      clock = parts.clock;
      setBack(ago);
      return systemFoundation(parts);
    },
    { config },
  );
  const url = await past.start();
  const token = (await readFile(join(folder, "admin-token"), "utf8")).trim();
  return {
    admin: callerAt(url, token),
    goOn: (ms) => setBack(behind - ms),
    goOnUntil: setBack,
    stop: () => past.stop(),
  };
}

interface Hired extends PastWorker {
  readonly id: string;
}

async function hireAll(admin: Caller): Promise<Hired[]> {
  const hired: Hired[] = [];
  for (const worker of pastWorkers) {
    const { rooms: _, status: __, ...about } = worker;
    const { id } = await admin.ask("POST", "/workers", about);
    hired.push({ ...worker, id });
    for (const { room, ...job } of pastJobs) {
      if (!worker.rooms.includes(room)) continue;
      await admin.ask("PUT", `/rooms/${encodeURIComponent(room)}/jobs`, { ...job, worker_id: id });
    }
  }
  return hired;
}

interface Claimed {
  readonly id: string;
  readonly attempt: number;
  readonly job_name: string;
}

/** What comes in is taken by whoever is free, and ends some time later in the same minute. */
async function oneMinute({ admin, goOn }: Hour, workers: readonly Hired[], minute: number): Promise<void> {
  for (const [room, tasks] of Object.entries(submissionsOf(minute))) {
    await admin.ask("POST", `/rooms/${encodeURIComponent(room)}/tasks`, { tasks });
  }
  goOn(400 + 90 * (minute % 7));
  const claims = workers.map(async ({ id: worker, concurrency }) => {
    const { tasks } = await admin.ask("POST", "/tasks/claim", { worker_id: worker, limit: concurrency, start: true });
    return { worker, tasks };
  });
  for (const { worker, tasks } of await Promise.all(claims)) {
    goOn(400 + ((minute * 37) % 11) * 110);
    if (tasks.length === 0) continue;
    const results = tasks.map(({ id, attempt, job_name }: Claimed, nth: number) => {
      return { id, attempt, ...endOf(job_name, minute, nth) };
    });
    await admin.ask("POST", "/tasks/settle", { worker_id: worker, results });
  }
}

/** By one worker after another, each of which tells how far it came. */
async function thriceFailed({ admin, goOn }: Hour): Promise<string> {
  const job = { category: "analysis", name: "Deskew", policy: { retry: { maxAttempts: 3, baseMs: 1_000 } } };
  const path = "/rooms/archive/tasks/archive:analysis:Deskew";
  let id = "";
  for (const name of ["scan-01", "scan-02", "gpu-01"]) {
    const { items } = await admin.ask("GET", "/workers");
    const worker = items.find((each: { readonly name: string }) => each.name === name).id;
    await admin.ask("PUT", "/rooms/archive/jobs", { ...job, worker_id: worker });
    if (id === "") id = (await admin.ask("POST", path, { payload: { folio: "MS-0417", page: 88, dpi: 600 } })).id;
    goOn(5_000);
    const { tasks } = await admin.ask("POST", "/tasks/claim", { worker_id: worker, task_ids: [id], start: true });
    const { lease_token } = tasks[0];
    const lines = ["reading MS-0417/088.tif", "600 dpi, 4,961 by 7,016", "looking for lines of text"].map((message) => {
      return { level: "info", message };
    });
    await admin.ask("POST", `/tasks/${id}/logs`, { lines, lease_token });
    goOn(2_400);
    await admin.ask("POST", `/tasks/${id}/progress`, {
      current: 3,
      total: 5,
      message: "finding the angle",
      lease_token,
    });
    const warning = { level: "warn", message: "only 2 lines found, 5 are needed" };
    await admin.ask("POST", `/tasks/${id}/logs`, { lines: [warning], lease_token });
    goOn(1_800);
    const error = "The angle of page 88 cannot be told: 2 lines of text are too few";
    const details = { page: 88, lines: 2, needed: 5, candidates: [-1.2, 0.4] };
    const end = { status: "failed", error, error_code: "angle-unclear", error_details: details, lease_token };
    await admin.ask("PATCH", `/tasks/${id}`, end);
  }
  return id;
}

/** What is submitted from then on piles up. */
async function pauseCovers(admin: Caller): Promise<void> {
  const pause = { note: "Waits for the new covers, INC-2291", for_seconds: 7_200 };
  await admin.ask("POST", "/jobs/newsroom:selections:PickCover/pause", pause);
}

const longJobs: Readonly<Record<string, string>> = {
  archive: "archive:analysis:Transcribe",
  newsroom: "newsroom:analysis:Summarise",
  "@global": "@global:modifiers:SendMail",
};

/** What it holds when the past is over it goes on holding. */
async function setToWork({ admin }: Hour, { id, rooms, concurrency }: Hired, nth: number): Promise<void> {
  const job = longJobs[rooms[0] ?? ""] ?? "";
  const tasks = Array.from({ length: 1 + ((nth * 5) % concurrency) }, (_, page) => ({
    ...{ job, payload: { folio: `MS-0${500 + nth}`, page: page + 1 } },
  }));
  await admin.ask("POST", `/rooms/${rooms[0] === "archive" ? "archive" : "newsroom"}/tasks`, { tasks });
  const claim = { worker_id: id, limit: tasks.length, start: true };
  const { tasks: held } = await admin.ask("POST", "/tasks/claim", claim);
  for (const [page, { id: task, lease_token }] of held.entries()) {
    const progress = { current: (12 + 17 * page + 5 * nth) % 100, total: 100, message: `line ${40 * (page + 1)}` };
    await admin.ask("POST", `/tasks/${task}/progress`, { ...progress, lease_token });
  }
}
