// What operators do to workers, and the words for it.

import type { Ask, RouteName } from "../../api/routes.ts";
import { plural } from "../../parts/text.ts";
import type { Worker } from "./worker.ts";

export const actNames = ["pause", "resume", "drain", "resize", "roll"] as const;
/** `roll`: drain all with a label, some at a time; the server sees to it. */
export type ActName = (typeof actNames)[number];

export interface Target {
  /** As in `press-1` or `zone=a`. */
  readonly title: string;
  readonly workers: readonly Worker[];
  /** `key=value`, where it is all who carry it. */
  readonly label: string | null;
}

/** What the dialog asked for; what an act has no use for is left as it is. */
export interface Said {
  readonly note: string | null;
  /** How long a pause lasts, or until when a drain waits; null: without end. */
  readonly seconds: number | null;
  /** How many tasks at a time; null: as it wants. */
  readonly value: number | null;
  readonly atATime: number;
}

interface Words {
  readonly menu: string;
  readonly title: (what: string) => string;
  readonly text: string;
  readonly confirm: string;
  readonly done: (what: string) => string;
}

export const actWords: Readonly<Record<ActName, Words>> = {
  pause: {
    menu: "Pause…",
    title: (what) => `Pause ${what}?`,
    text: "Nothing new is given out there; what runs goes on.",
    confirm: "Pause",
    done: (what) => `Paused ${what}`,
  },
  resume: {
    menu: "Resume…",
    title: (what) => `Resume ${what}?`,
    text: "Ends a pause and a drain: tasks are given out there again.",
    confirm: "Resume",
    done: (what) => `Resumed ${what}`,
  },
  drain: {
    menu: "Drain…",
    title: (what) => `Drain ${what}?`,
    text: "What runs is finished, and nothing new is given out there.",
    confirm: "Drain",
    done: (what) => `Draining ${what}`,
  },
  resize: {
    menu: "Resize…",
    title: (what) => `Resize ${what}?`,
    text: "How many tasks each of them may hold at a time. What it holds already stays with it.",
    confirm: "Resize",
    done: (what) => `Resized ${what}`,
  },
  roll: {
    menu: "Drain some at a time…",
    title: (what) => `Drain all with ${what}, some at a time?`,
    text: "The next begins when one of them holds nothing any more. The server goes on with it when this page is closed.",
    confirm: "Begin",
    done: (what) => `Draining ${what}, some at a time`,
  },
};

export function whatOf({ title, workers, label }: Target): string {
  return workers.length === 1 && label === null ? title : `${plural(workers.length, "worker")} of ${title}`;
}

type OneAct = Exclude<ActName, "roll">;

/** The request for one worker. */
export function requestOf(act: OneAct, worker: string, { note, seconds, value }: Said): Ask {
  const params = { worker_id: worker };
  if (act === "pause") {
    return {
      route: "POST /workers/{worker_id}/pause",
      params,
      body: { note, for_seconds: seconds },
    } satisfies Ask<"POST /workers/{worker_id}/pause">;
  }
  if (act === "drain") {
    return {
      route: "POST /workers/{worker_id}/drain",
      params,
      body: { note, deadline_seconds: seconds },
    } satisfies Ask<"POST /workers/{worker_id}/drain">;
  }
  if (act === "resize") {
    return {
      route: "POST /workers/{worker_id}/concurrency",
      params,
      body: { note, value },
    } satisfies Ask<"POST /workers/{worker_id}/concurrency">;
  }
  return {
    route: "POST /workers/{worker_id}/resume",
    params,
    body: { note },
  } satisfies Ask<"POST /workers/{worker_id}/resume">;
}

/** What any of it may have changed. */
export const changedByActs: readonly RouteName[] = [
  "GET /workers",
  "GET /workers/{worker_id}",
  "GET /workers/{worker_id}/events",
  "GET /workers/{worker_id}/commands",
  "GET /pauses",
  "GET /drains",
];
