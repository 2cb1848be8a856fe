// The command line against a server: commands as processes of their own, and a worker in the hands of the test.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { type Ended, leadhand, leadhandInClone, run } from "../leadhand-process.ts";
import { type Caller, restScene } from "../rest/scene.ts";

export const rotate = "@global:modifiers:Rotate";

const schema = { type: "object", properties: { angle: { type: "number" } }, required: ["angle"] };

export async function commandScene() {
  const scene = await restScene();
  const environment = { LEADHAND_URL: scene.url, LEADHAND_DATA: scene.data };
  const { body } = await scene.admin.put("/rooms/@global/jobs", { category: "modifiers", name: "Rotate", schema });
  const worker: string = body.worker_id;
  return {
    ...scene,
    ...{ environment, worker },
    /** Runs a command to its end. */
    command: (...args: readonly string[]): Promise<Ended> => run(args, environment),
    /** Starts a command that goes on. */
    started: (...args: readonly string[]) => leadhand(args, environment),
    async withInput(input: string, ...args: readonly string[]): Promise<Ended> {
      const child = spawn(process.execPath, [leadhandInClone, ...args], { env: { ...process.env, ...environment } });
      let [out, err] = ["", ""];
      child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
      child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
      child.stdin.end(input);
      const [code] = await once(child, "close");
      return { code, out, err };
    },
    /** Waits for a task and starts it. */
    take: () => take(scene.admin, worker),
  };
}

export interface Taken {
  readonly id: string;
  progress(current: number, total: number, message: string): Promise<unknown>;
  log(message: string, level?: string): Promise<unknown>;
  event(event: string, words?: Readonly<Record<string, unknown>>): Promise<unknown>;
  end(status: "completed" | "failed", words: Readonly<Record<string, unknown>>): Promise<unknown>;
}

async function take(admin: Caller, worker_id: string): Promise<Taken> {
  const { body } = await admin.post("/tasks/claim", { worker_id }, { prefer: "wait=20" });
  if (body.task === null) throw new Error("No task came within 20 s");
  const { id, lease_token } = body.task;
  await admin.patch(`/tasks/${id}`, { status: "running", lease_token });
  return {
    id,
    progress: (current, total, message) =>
      admin.post(`/tasks/${id}/progress`, { current, total, message, lease_token }),
    log: (message, level = "info") => admin.post(`/tasks/${id}/logs`, { lines: [{ level, message }], lease_token }),
    event: (event, words) => admin.post(`/tasks/${id}/logs`, { lines: [{ event, ...words }], lease_token }),
    end: (status, words) => admin.patch(`/tasks/${id}`, { status, ...words, lease_token }),
  };
}
