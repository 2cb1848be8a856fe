// Runs a program under another account. PostgreSQL refuses to run as root.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

export type Account = { readonly user: string; readonly uid: number; readonly gid: number };

export type RunOptions = { readonly account?: Account | undefined; readonly cwd: string };

/** The account PostgreSQL should have when we are root; undefined when ours will do. */
export function accountForPostgres(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readFileSync("/etc/passwd", "utf8").split("\n").map(parseAccount);
  const account = ["postgres", "nobody"].flatMap((user) => accounts.filter((each) => each.user === user))[0];
  if (account === undefined) throw new Error("PostgreSQL cannot run as root, and there is no user postgres or nobody");
  return account;
}

/** Runs a program to its end; what it says is shown only if it fails. */
export function run(file: string, args: readonly string[], options: RunOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      cwd: options.cwd,
      env: cleanEnvironment(),
      stdio: ["ignore", "pipe", "pipe"],
      ...(options.account && { uid: options.account.uid, gid: options.account.gid }),
    });
    let said = "";
    child.stdout.on("data", (chunk) => (said += chunk));
    child.stderr.on("data", (chunk) => (said += chunk));
    child.once("error", reject);
    // Not "close": a server that the program leaves running may keep the pipes open.
    child.once("exit", (code) => {
      child.stdout.destroy();
      child.stderr.destroy();
      if (code === 0) resolve();
      else reject(new Error(`${file} ${args.join(" ")} ended with ${code}:\n${said}`));
    });
  });
}

export function canRun(file: string, args: readonly string[], options: RunOptions): Promise<boolean> {
  return run(file, args, options).then(
    () => true,
    () => false,
  );
}

function parseAccount(line: string): Account {
  const [user = "", , uid, gid] = line.split(":");
  return { user, uid: Number(uid), gid: Number(gid) };
}

/** Settings of the caller's own PostgreSQL clients must not reach a private server. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("PG") && !name.startsWith("LC_"));
  return { ...Object.fromEntries(inherited), LC_ALL: "C" };
}
