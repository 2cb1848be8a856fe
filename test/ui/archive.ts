// What pictures are taken of: a server with a past, a day's fleet at work, and traces of the people who look after it.

import { until } from "../../src/testing/until.ts";
import { aDay, type Day } from "./day.ts";
import { aPast, type Past } from "./past.ts";
import { type UiScene, uiScene } from "./scene.ts";

export interface Archive {
  readonly scene: UiScene;
  readonly day: Day;
  readonly past: Past;
}

export async function anArchive(): Promise<Archive> {
  let past: Past | undefined;
  const scene = await uiScene({
    before: async (folder) => {
      past = await aPast(folder);
    },
  });
  const day = await aDay(scene);
  await lookAfter(scene);
  await stir(scene);
  if (past === undefined) throw new Error("There was no past");
  return { scene, day, past };
}

/** Pauses, drains and alerts, each for a reason that somebody wrote down. */
async function lookAfter(scene: UiScene): Promise<void> {
  const admin = scene.as("admin");
  const { items } = await admin.ask("GET", "/workers?limit=100");
  const idOf = (name: string) => items.find((worker: { readonly name: string }) => worker.name === name).id;

  const large = { job: "archive:modifiers:Resize", payload: { folio: "MS-0001", page: 1 }, labels: { gpu: "H200" } };
  await admin.ask("POST", "/rooms/archive/tasks", { tasks: [large, large, large] });

  await admin.ask("POST", `/workers/${idOf("press-02")}/pause`, {
    note: "New network card, back at four",
    for_seconds: 3_600,
  });
  await admin.ask("POST", `/workers/${idOf("gpu-02")}/drain`, { note: "Driver update", deadline_seconds: 1_800 });
  await admin.ask("POST", `/workers/${idOf("scan-02")}/concurrency`, { value: 3, note: "Runs hot with four" });
  for (const [worker, severity, code, message] of alerts) {
    await admin.ask("POST", `/workers/${idOf(worker)}/alerts`, { severity, code, message });
  }
  for (const [room, category, name, content_type, worker] of providers) {
    const about = { category, name, content_type, worker_id: idOf(worker) };
    const body = { ...about, schema: { type: "object", properties: { path: { type: "string" } } } };
    await admin.ask("PUT", `/rooms/${room}/providers`, body);
  }
  const week = 604_800;
  await admin.ask("POST", "/tokens", { name: "website", user: "website", role: "user", rooms: ["newsroom"] });
  await admin.ask("POST", "/tokens", { name: "scan rack", user: "scan", role: "user", jobs: ["archive:*:*"] });
  await admin.ask("POST", "/tokens", { name: "wall screen", user: "wall", role: "viewer", expires_seconds: week });
}

/** The newest tasks are of all kinds, as they are anywhere. */
async function stir(scene: UiScene): Promise<void> {
  const scan = { job: "studio:analysis:Scan", payload: { steps: 240, stepMs: 500 } };
  const rotate = (nth: number) => ({
    job: "studio:modifiers:Rotate",
    payload: { picture: `plate-${nth}`, angle: nth },
  });
  const fail = { job: "studio:analysis:Import", payload: { kind: "broken", nth: 7 } };
  const album = { job: "studio:modifiers:Album", payload: { pictures: 2 } };
  const mixed = [rotate(1), rotate(2), scan, fail, rotate(3), album, scan, rotate(4), rotate(5), scan, rotate(6)];
  const labels = { site: "north" };
  const tasks = mixed.map(({ job, payload }) => ({ job, payload, options: { labels } }));
  const begun = (await scene.client.submitMany("studio", tasks)).filter(({ job_name }) => job_name === scan.job);
  await until(
    "the scans tell how far they are",
    async () => {
      const now = await Promise.all(begun.map(({ id }) => scene.client.get(id)));
      return now.every(({ progress }) => progress !== null);
    },
    30_000,
  );
}

const alerts = [
  ["scan-02", "warning", "temperature", "CPU at 91 °C for five minutes"],
  ["gpu-01", "error", "memory", "An allocation of 2.1 GB failed; the model was loaded again"],
  ["press-01", "info", "rotated", "The log was rotated, 412 MB were freed"],
] as const;

const providers = [
  ["archive", "files", "Scans", "image/tiff", "scan-01"],
  ["archive", "metadata", "Catalogue", "application/json", "scan-03"],
  ["newsroom", "files", "Covers", "image/jpeg", "press-01"],
] as const;
