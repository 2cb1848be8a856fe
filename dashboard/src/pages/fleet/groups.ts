// Which workers are shown, and together with whom.

import { stands } from "./standing.ts";
import { nameOf, type Worker } from "./worker.ts";

export interface Group {
  /** Its value: of a host, a label, a version. Empty for those without one. */
  readonly key: string;
  readonly title: string;
  /** `key=value`, where all of its workers carry it and nobody else does. */
  readonly label: string | null;
  readonly workers: readonly Worker[];
}

export const plainWays = ["host", "state", "door", "version", "nothing"] as const;

/** `label:zone` groups by the label `zone`. */
const labelWay = "label:";

/** All that can be grouped by, with the labels that are in use. */
export function waysOf(workers: readonly Worker[]): readonly string[] {
  const labels = new Set(workers.flatMap((worker) => Object.keys(worker.labels)));
  return [...plainWays, ...[...labels].sort().map((label) => labelWay + label)];
}

export interface Wanted {
  readonly state: string;
  readonly text: string;
}

export function chosen(workers: readonly Worker[], { state, text }: Wanted): readonly Worker[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (state === "" && words.length === 0) return workers;
  return workers.filter(
    (worker) =>
      (state === "" || stands(worker, state)) && words.every((word) => textOf(worker).toLowerCase().includes(word)),
  );
}

const texts = new WeakMap<Worker, string>();

function textOf(worker: Worker): string {
  const known = texts.get(worker);
  if (known !== undefined) return known;
  const { id, hostname, version, door, os, labels } = worker;
  const said = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  const text = [nameOf(worker), id, hostname, version, door, os, ...said].join(" ");
  texts.set(worker, text);
  return text;
}

const natural = new Intl.Collator("en", { numeric: true });

/** By value; those who have none come last. */
export function grouped(workers: readonly Worker[], by: string): readonly Group[] {
  if (by === "nothing") return [{ key: "", title: "", label: null, workers }];
  const groups = Map.groupBy(workers, (worker) => shareOf(worker, by));
  const made = [...groups].map(([key, members]) => ({ ...wordsOf(key, by), key, workers: members }));
  const sorted = made.sort((a, b) => Number(a.key === "") - Number(b.key === "") || natural.compare(a.key, b.key));
  return by === "host" ? withLonelyTogether(sorted) : sorted;
}

function shareOf(worker: Worker, by: string): string {
  if (by.startsWith(labelWay)) return worker.labels[by.slice(labelWay.length)] ?? "";
  if (by === "state") return worker.state.toLowerCase();
  if (by === "door") return worker.door;
  if (by === "version") return worker.version ?? "";
  return worker.hostname ?? "";
}

function wordsOf(key: string, by: string): Pick<Group, "title" | "label"> {
  const label = by.startsWith(labelWay) ? by.slice(labelWay.length) : null;
  if (key === "") return { title: `without ${label ?? by}`, label: null };
  return label === null ? { title: key, label: null } : { title: `${label}=${key}`, label: `${label}=${key}` };
}

/** A heading for each of a thousand machines with one worker would be all one sees. */
function withLonelyTogether(groups: readonly Group[]): readonly Group[] {
  const isLonely = ({ key, workers }: Group) => key !== "" && workers.length === 1;
  const lonely = groups.filter(isLonely);
  if (lonely.length < 2) return groups;
  const together = { key: " ", title: "hosts with one worker", label: null };
  return [...groups.filter((group) => !isLonely(group)), { ...together, workers: lonely.flatMap((g) => g.workers) }];
}
