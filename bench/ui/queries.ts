// What people type into the query bar. Several of a kind, so that no answer is the one before; none is without tasks.

import { fullName, globalRoom } from "../../src/core/name.ts";
import type { Facts } from "../measure.ts";

export interface QueryKind {
  readonly key: string;
  readonly title: string;
  queries(facts: Facts): readonly string[];
  /** What is asked for lies so deep that the first answer may have none of it, and only say where to go on. */
  readonly mayBeDeep?: boolean;
}

const jobs = ["Rotate", "Resize", "Transcode"].map((name) =>
  fullName({ room: globalRoom, category: "modifiers", name }),
);
const [rotate] = jobs as [string, ...string[]];
const rooms = ["lab", "studio", "archive"];

const always = (key: string, title: string, ...queries: readonly string[]): QueryKind => ({
  key,
  title,
  queries: () => queries,
});

export const queryKinds: readonly QueryKind[] = [
  always("all", "nothing, newest first", ""),
  always("state", "state:", "state:failed", "state:cancelled", "state:completed", "state:failed,cancelled"),
  always("open", "state:open and its parts", "state:open", "state:ready", "state:delayed", "state:running"),
  always("job", "job:", ...jobs.map((job) => `job:${job}`)),
  always("glob", "job: with globs", "job:*Rotate*", "job:*:reports:*", "job:archive:*"),
  always("room", "room:", ...rooms.map((room) => `room:${room}`)),
  {
    key: "worker",
    title: "worker:",
    queries: ({ worker, workerName }) => [`worker:${worker}`, `worker:${workerName}`],
  },
  { key: "id", title: "id", queries: ({ task }) => [`${task}`, `id:${String(task).slice(0, 13)}`] },
  always("error", "error~", "error~ECONNRESET", "error~checksum", 'error~"no licence seat"', "error~deadlock"),
  always("code", "code:", "code:ENOENT", "code:CUDA_OOM", "code:HTTP_503"),
  { key: "path", title: "input.path= of today", queries: ({ newPath }) => [`input.path=${newPath}`] },
  {
    key: "old-path",
    title: "input.path= of days ago",
    queries: ({ oldPath }) => [`input.path=${oldPath}`],
    mayBeDeep: true,
  },
  always("input", "input.customer=", "input.customer=c-1042", "input.customer=c-1300", "input.customer=c-1499"),
  always("number", "attempt>, losses>, priority>", "attempt>1", "losses>0", "priority>5"),
  always("time", "age, ran, waited, ended", "age>5d", "age<12h", "ran>30s", "waited>10s", "ended<6h"),
  always("word", "a bare word", "Rotate", "ECONNREFUSED"),
  always("state-job", "state: and job:", ...jobs.map((job) => `state:failed job:${job}`)),
  always("room-state", "room: and state:", ...rooms.map((room) => `room:${room} state:failed`)),
  always("job-error", "job: and error~", ...jobs.map((job) => `job:${job} error~ENOENT`)),
  always("not", "with one negated", `job:${rotate} -state:completed`, "state:failed -code:ENOENT"),
];

/** Filters that need no query language. */
export const plainFilters: readonly { readonly key: string; readonly title: string; readonly query: string }[] = [
  { key: "newest", title: "newest first", query: "" },
  { key: "failed", title: "status=failed", query: "status=failed" },
  { key: "running", title: "status=running", query: "status=running" },
  { key: "job", title: "job=", query: `job=${encodeURIComponent(rotate)}` },
];
