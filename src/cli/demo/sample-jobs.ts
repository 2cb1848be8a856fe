// The jobs of the demo, written as anybody would write theirs. They only wait, but they wait as real work does: some are
// short, some tell how far they are, some fail, and each stops when its task is cancelled.

import { setTimeout as pause } from "node:timers/promises";
import { Fail } from "../../sdk/ending.ts";
import { type JobDefinition, type JsonSchema, job } from "../../sdk/job.ts";

export const demoRoom = "demo";

/** In the category `operations`, which is allowed whatever the settings say. */
const nameOf = (name: string): string => `${demoRoom}:operations:${name}`;

const oneNumber = (name: string, maximum: number): JsonSchema => ({
  type: "object",
  properties: { [name]: { type: "integer", minimum: 1, maximum } },
  required: [name],
});

const oneText = (name: string): JsonSchema => ({
  type: "object",
  properties: { [name]: { type: "string" } },
  required: [name],
});

interface Image {
  readonly width: number;
}

export const resizeImage = job<Image, Image, Image>(
  nameOf("resize-image"),
  { input: oneNumber("width", 10_000) },
  async ({ input: { width }, signal }) => {
    await pause(150 + width / 4, undefined, { signal });
    return { width };
  },
);

interface Video {
  readonly frames: number;
}

const frameMs = 75;

export const renderVideo = job<Video, Video, Video>(
  nameOf("render-video"),
  { input: oneNumber("frames", 100_000) },
  async (task) => {
    const { frames } = task.input;
    task.log.info("rendering", frames, "frames");
    for (let frame = 1; frame <= frames; frame += 1) {
      await pause(frameMs, undefined, { signal: task.signal });
      task.progress(frame, frames, `frame ${frame}`);
      if (frame % 20 === 0) task.log.info("frame", frame, "of", frames);
    }
    return { frames };
  },
);

interface Mail {
  readonly to: string;
}

/** Whoever is at "busy" gets the mail at the second try, whoever is at "nowhere" never. */
export const sendMail = job<Mail, { readonly sent: true }, Mail>(
  nameOf("send-mail"),
  { input: oneText("to"), retry: { maxAttempts: 3, baseMs: 1_000 } },
  async ({ input: { to }, attempt, log, signal }) => {
    await pause(400, undefined, { signal });
    log.info("try", attempt, "to reach", to);
    if (to.endsWith("@nowhere.example")) throw new Fail("The address does not exist", { retryable: false });
    if (to.endsWith("@busy.example") && attempt === 1) throw new Error("The mail server is busy");
    return { sent: true };
  },
);

interface Report {
  readonly month: string;
}

const chapters = ["reading", "adding up", "drawing", "writing"] as const;

export const buildReport = job<Report, { readonly pages: number }, Report>(
  nameOf("build-report"),
  { input: oneText("month") },
  async (task) => {
    for (const [nth, chapter] of chapters.entries()) {
      task.progress(nth, chapters.length, chapter);
      await pause(700, undefined, { signal: task.signal });
    }
    return { pages: 12 };
  },
);

export const sampleJobs: readonly JobDefinition[] = [resizeImage, renderVideo, sendMail, buildReport];
