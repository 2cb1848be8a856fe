// The demo from beginning to end: a server, workers that know it by its address, tasks, and somebody who looks on.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "../../sdk/client.ts";
import { restApi } from "../../sdk/rest-api.ts";
import { server } from "../../server/server.ts";
import type { Config } from "../../server/settings/settings.ts";
import { dashboardLink } from "../dashboard-link.ts";
import { demoCrew } from "./crew.ts";
import { submitSamples } from "./submitting.ts";
import { type View, type Watching, watching } from "./watching.ts";

export interface Demo {
  readonly config: Config;
  /** Ends it. */
  readonly over: AbortSignal;
  /** No more tasks are submitted from then on, so that those in hand can end before all is over. */
  readonly closing: AbortSignal;
  now(): number;
  /** Whether the link to the dashboard signs in whoever follows it. */
  readonly signsIn: boolean;
  onStart(url: string, dashboard: string): void;
  onView(view: View): void;
}

const lookEveryMs = 100;

/** Answers what was seen last, when all is quiet. */
export async function runDemo(demo: Demo): Promise<View> {
  const done = new AbortController();
  const over = AbortSignal.any([demo.over, done.signal]);
  const crew = demoCrew();
  const serving = server({ config: demo.config });
  try {
    const url = await serving.start();
    const token = (await readFile(join(demo.config.data, "admin-token"), "utf8")).trim();
    crew.start({ url, token });
    demo.onStart(url, dashboardLink(url, demo.signsIn ? await serving.signInCode() : null));
    const watch = watching(restApi({ url, getHeaders: () => ({ authorization: `Bearer ${token}` }) }), demo.now);
    using client = new Client({ url, token });
    const submitting = submitSamples(client, AbortSignal.any([over, demo.closing]));
    const submitted = submitting.then(() => whenAborted(over));
    await Promise.race([lookOn({ ...demo, over }, watch), crew.failed, submitted]);
    await submitting;
    const { counts } = await watch.look();
    await crew.stop();
    const last = await watch.look();
    // What one worker gave back the other may have taken for a moment, and given back too: that was no retry.
    return { ...last, counts: { ...last.counts, retried: counts.retried } };
  } finally {
    done.abort();
    await crew.stop();
    await serving.stop();
  }
}

async function lookOn({ over, onView }: Demo, watch: Watching): Promise<void> {
  while (!over.aborted) {
    onView(await watch.look());
    await pause(lookEveryMs, undefined, { signal: over }).catch(() => {});
  }
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
