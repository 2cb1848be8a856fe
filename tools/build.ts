// Makes dist/: JavaScript and types from src/, and the SQL that goes with them.

import { spawnSync } from "node:child_process";
import { cpSync, globSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

process.exitCode = build();

function build(): number {
  rmSync(join(root, "dist"), { recursive: true, force: true });
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const compiled = spawnSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
  if (compiled.status !== 0) return compiled.status ?? 1;

  const migrations = globSync("src/stores/*/migrations/*.sql", { cwd: root });
  for (const file of migrations) {
    cpSync(join(root, file), join(root, "dist", relative("src", file)), { recursive: true });
  }
  console.log(`Built dist/ with ${migrations.length} migrations`);
  return 0;
}
