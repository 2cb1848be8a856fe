// What tasks are about: a file, and what is to be done with it. About 300 bytes, with a path worth searching for.

import { hex } from "./board-failures.ts";
import type { Chance } from "./chance.ts";

const formats = ["tiff", "png", "mp4", "fastq", "geojson", "pdf"] as const;
const notes = [
  "nightly run, second pass",
  "asked for by the customer, see ticket",
  "again with the new calibration",
  "part of the weekly export",
] as const;

/** Every path is asked for by a few tasks: a file is worked on more than once. */
const tasksPerPath = 5;

export interface BoardPayload {
  readonly path: string;
  readonly text: string;
}

export function boardPayload(by: Chance, room: string, tasks: number): BoardPayload {
  const number = by.below(Math.ceil(tasks / tasksPerPath));
  const format = formats[number % formats.length] as string;
  const path = `/archive/${room}/${2020 + (number % 7)}/plate-${String(number).padStart(7, "0")}.${format}`;
  const text = JSON.stringify({
    path,
    format,
    angle: 90 * by.below(4),
    customer: `c-${1_000 + by.below(500)}`,
    options: { quality: 50 + by.below(50), keep_metadata: by.percent(50), tiles: [256, 512][by.below(2)] },
    trace: hex(by, 32),
    note: by.pick(notes),
  });
  return { path, text };
}

export function boardResult(by: Chance, path: string): string {
  return JSON.stringify({ path: `${path}.out`, bytes: by.below(50_000_000), sha256: hex(by, 16), pages: by.below(40) });
}
