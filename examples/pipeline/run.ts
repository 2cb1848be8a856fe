// `npm run pipeline`: RabbitMQ, a server, a process for each queue, one task for the coordinator, and its progress on the
// terminal. RabbitMQ is the one that LEADHAND_AMQP_URL names, else one that goes with the example.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { NoRabbitmq, startRabbitmq } from "../../tools/rabbitmq.ts";

const proteins = 1_000;
const batch = 10;
const limitMs = 120_000;

const leadhand = fileURLToPath(new URL("../../bin/leadhand.js", import.meta.url));
const jobs = fileURLToPath(new URL("jobs.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "leadhand-pipeline-"));
const data = join(folder, "data");
const table = join(folder, "embeddings.jsonl");
const running: ChildProcess[] = [];
const said: string[] = [];
let endBroker = async (): Promise<void> => {};

for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const) {
  process.once(signal, () => void cleanUp().then(() => process.exit(code)));
}
const tooLong = setTimeout(() => {
  console.error([...said, `The pipeline was not through after ${limitMs / 1_000} s.`].join("\n"));
  void cleanUp().then(() => process.exit(1));
}, limitMs);
try {
  process.exitCode = await main();
  if (process.exitCode !== 0) console.error(said.join("\n"));
} finally {
  clearTimeout(tooLong);
  await cleanUp();
}

async function main(): Promise<number> {
  const amqpUrl = await broker();
  if (amqpUrl === null) return 1;
  const environment = {
    ...process.env,
    ...{ LEADHAND_AMQP_URL: amqpUrl, LEADHAND_ALLOWED_CATEGORIES: "operations", EMBEDDINGS: table },
    LEADHAND_LOG_LEVEL: "warn",
  };
  const up = spawn(process.execPath, [leadhand, "up", jobs, "--port", "0", "--data", data], {
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.push(up);
  const url = await addressIn(up);
  if (url === null) return 1;
  const token = readFileSync(join(data, "admin-token"), "utf8").trim();
  await untilThere(url, token);
  const asked = { LEADHAND_URL: url, LEADHAND_TOKEN: token };
  const payload = JSON.stringify({ proteins, batch });
  const args = ["submit", "@global:operations:compute_embeddings", payload, "--queue", "protea.embeddings", "--follow"];
  const submit = spawn(process.execPath, [leadhand, ...args], { env: { ...process.env, ...asked }, stdio: "inherit" });
  running.push(submit);
  const [code] = await once(submit, "exit");
  const rows = readFileSync(table, "utf8").trimEnd().split("\n");
  const stored = new Set(rows.map((row) => (JSON.parse(row) as { protein: string }).protein)).size;
  console.log(`${stored} of ${proteins} embeddings are stored`);
  return code === 0 && stored === proteins ? 0 : 1;
}

async function broker(): Promise<string | null> {
  const given = process.env["LEADHAND_AMQP_URL"];
  if (given) return given;
  console.log("Starting a RabbitMQ for this example; LEADHAND_AMQP_URL names another.");
  try {
    const { url, stop } = await startRabbitmq();
    endBroker = stop;
    return url;
  } catch (error) {
    if (!(error instanceof NoRabbitmq)) throw error;
    console.error(error.message);
    return null;
  }
}

/** Keeps what the processes say; answers where the server is, null if it never comes to that. */
function addressIn(up: ChildProcess): Promise<string | null> {
  return new Promise((resolve) => {
    up.once("exit", () => resolve(null));
    for (const output of [up.stdout, up.stderr]) {
      if (output === null) continue;
      createInterface(output).on("line", (line) => {
        said.push(line);
        if (line.startsWith("leadhand up: ")) console.log(line);
        const [, url] = /^server \| leadhand ready (\S+)$/.exec(line) ?? [];
        if (url !== undefined) resolve(url);
      });
    }
  });
}

/** The process that serves the coordinator registers it. */
async function untilThere(url: string, token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  for (;;) {
    const answer = await fetch(`${url}/v1/rooms/@global/jobs/@global:operations:compute_embeddings`, { headers });
    if (answer.ok) return;
    await pause(100);
  }
}

async function cleanUp(): Promise<void> {
  for (const child of running.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill("SIGTERM");
    await once(child, "exit");
  }
  await endBroker();
  rmSync(folder, { recursive: true, force: true });
}
