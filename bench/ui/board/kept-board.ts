// A board on SQLite is a file, and a copy of it is as good. It is kept under a name that says what it was made by, so that
// a change of the schema or of what fills it makes a new one; and not for long, because it says what happened this week.

import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Facts } from "../../measure.ts";
import type { Place } from "../../place.ts";
import type { BoardSize } from "./fill-board.ts";

const keptMs = 12 * 3_600_000;
const folder = join(tmpdir(), "leadhand-bench-boards");
const root = fileURLToPath(new URL("../../..", import.meta.url));

export interface KeptBoard {
  /** Copies the kept board into place; null where there is none. */
  take(): Facts | null;
  put(facts: Facts): void;
}

export function keptBoard(place: Place, { tasks, workers }: BoardSize): KeptBoard {
  if (place.kind !== "sqlite") return { take: () => null, put: () => {} };
  const name = join(folder, `${tasks}-${workers}-${madeBy()}`);
  const [database, told] = [`${name}.db`, `${name}.json`];
  return {
    take() {
      if (!existsSync(told) || Date.now() - statSync(told).mtimeMs > keptMs) return null;
      copyFileSync(database, place.file);
      return JSON.parse(readFileSync(told, "utf8")) as Facts;
    },
    put(facts) {
      mkdirSync(folder, { recursive: true });
      // What was made by something else is of no use any more.
      for (const old of globSync(`${tasks}-${workers}-*`, { cwd: folder })) rmSync(join(folder, old));
      // Whoever takes it meanwhile finds all of it or nothing.
      copyFileSync(place.file, `${database}.part`);
      renameSync(`${database}.part`, database);
      writeFileSync(told, JSON.stringify(facts));
    },
  };
}

function madeBy(): string {
  const hash = createHash("sha256");
  const files = globSync(["bench/ui/board/*.ts", "src/stores/sqlite/migrations/*.sql"], { cwd: root }).sort();
  for (const file of files) hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest("hex").slice(0, 12);
}
