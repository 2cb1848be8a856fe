// A fleet at work, with a task in every state that one can be in.

import type { TaskView } from "../../src/sdk/index.ts";
import { until } from "../../src/testing/until.ts";
import type { HiredWorker } from "./crew.ts";
import type { UiScene } from "./scene.ts";

export interface Day {
  readonly workers: { readonly north: HiredWorker; readonly gpu: HiredWorker; readonly south: HiredWorker };
  readonly tasks: {
    readonly completed: readonly string[];
    /** Three of each kind; their words differ. */
    readonly failed: Readonly<Record<FailureKind, readonly string[]>>;
    readonly cancelled: string;
    /** With progress and logs, for as long as a test may take. */
    readonly scanning: string;
    /** In the hands of the worker in the south, which alone may have it. */
    readonly held: string;
    /** Completed, by its children. */
    readonly album: string;
    /** For a label that nobody carries. */
    readonly waiting: string;
    /** Until tomorrow. */
    readonly delayed: string;
  };
}

export const failureKinds = ["refused", "broken", "late"] as const;
export type FailureKind = (typeof failureKinds)[number];

const room = "studio";
const dayMs = 86_400_000;
const limit = { timeoutMs: 30_000 };

export async function aDay(scene: UiScene): Promise<Day> {
  const [north, gpu, south] = await Promise.all([
    scene.hire({ name: "press-north", host: "north-1.example" }),
    scene.hire({ name: "press-gpu", host: "north-2.example", labels: { site: "north", gpu: "yes" } }),
    scene.hire({ name: "press-south", host: "south-1.example", labels: { site: "south" }, concurrency: 1 }),
  ]);
  const { client } = scene;
  const onNorth = { room, labels: { site: "north" } };
  const submit = async (job: string, payload: object, options: object) =>
    (await client.submit(job, payload, { ...onNorth, ...options })).id;

  const held = await submit("studio:selections:Hold", {}, { labels: { site: "south" } });
  const scanning = await submit("studio:analysis:Scan", { steps: 10_000, stepMs: 250 }, { labels: { gpu: "yes" } });
  const waiting = await submit(
    "studio:modifiers:Rotate",
    { picture: "moon.png", angle: 1 },
    { labels: { site: "moon" } },
  );
  const delayed = await submit("studio:modifiers:Rotate", { picture: "late.png", angle: 2 }, { delayMs: dayMs });
  const cancelled = await submit("studio:analysis:Scan", {}, {});
  await client.cancel(cancelled);
  const album = await submit("studio:modifiers:Album", { pictures: 4 }, {});
  const completed = await rotated(scene);
  const failed = await failures(scene);
  await Promise.all([album, cancelled].map((id) => client.wait(id, limit)));
  await until("the south holds its task", () => south.holds(held), limit.timeoutMs);
  await until(
    "the scan tells how far it is",
    async () => (await client.get(scanning)).progress !== null,
    limit.timeoutMs,
  );
  return {
    workers: { north, gpu, south },
    tasks: { completed, failed, cancelled, scanning, held, album, waiting, delayed },
  };
}

async function rotated({ client }: UiScene): Promise<string[]> {
  const pictures = Array.from({ length: 12 }, (_, nth) => ({
    job: "studio:modifiers:Rotate",
    payload: { picture: `picture-${nth + 1}.png`, angle: 15 * nth, mode: nth % 2 === 0 ? "fast" : "smooth" },
  }));
  return ended(client, await client.submitMany(room, pictures));
}

async function failures({ client }: UiScene): Promise<Day["tasks"]["failed"]> {
  const made = await Promise.all(
    failureKinds.map(async (kind) => {
      const tasks = [1, 2, 3].map((nth) => ({ job: "studio:analysis:Import", payload: { kind, nth } }));
      return [kind, await ended(client, await client.submitMany(room, tasks))] as const;
    }),
  );
  return Object.fromEntries(made) as Record<FailureKind, string[]>;
}

async function ended(client: UiScene["client"], tasks: readonly TaskView[]): Promise<string[]> {
  const all = await Promise.all(tasks.map(({ id }) => client.wait(id, limit)));
  return all.map(({ id }) => id);
}
