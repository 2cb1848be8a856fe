// A private nginx for a test: a folder and ports of its own, gone afterwards.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asRoot } from "./postgres-binaries.ts";

export interface Nginx {
  stop(): Promise<void>;
}

/** Undefined where there is none and none can be installed. */
export function nginxProgram(): string | undefined {
  return installed() ?? (install() ? installed() : undefined);
}

function installed(): string | undefined {
  return ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/bin/nginx", "/opt/homebrew/bin/nginx"].find(existsSync);
}

function install(): boolean {
  if (!existsSync("/usr/bin/apt-get")) return false;
  console.error("Installing nginx with apt-get …");
  return (
    asRoot("apt-get", ["update"]) && asRoot("apt-get", ["install", "-y", "--no-install-recommends", "nginx-light"])
  );
}

/** What stands in a file of `conf.d`, in a whole configuration that touches nothing outside of its folder. */
export async function startNginx(program: string, snippet: string): Promise<Nginx> {
  const folder = await mkdtemp(join(tmpdir(), "leadhand-nginx-"));
  const file = join(folder, "nginx.conf");
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  // Only root may say as whom the rest runs.
  const user = process.getuid?.() === 0 ? "user root;" : "";
  const around = `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log warn; ${user}`;
  await writeFile(file, `${around}\nevents {}\nhttp {\naccess_log off;\n${paths.join("\n")}\n${snippet}\n}\n`);
  const args = ["-p", folder, "-c", file];
  const checked = spawnSync(program, [...args, "-t"], { encoding: "utf8" });
  if (checked.status !== 0) throw new Error(`nginx does not accept the configuration:\n${checked.stderr}`);
  const child: ChildProcess = spawn(program, args, { stdio: ["ignore", "ignore", "inherit"] });
  const ended = once(child, "exit");
  return {
    async stop() {
      child.kill("SIGTERM");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
