// A server that may push to this machine, a target, and jobs that lead there.

import { until } from "../../src/testing/until.ts";
import { type Caller, type RestScene, restScene } from "../rest/scene.ts";
import { type Target, target } from "./target.ts";

export interface PushScene extends RestScene {
  readonly target: Target;
  /** Registers a job that is sent to this path of the target; answers its full name. */
  job(name: string, words?: JobWords): Promise<string>;
  /** Answers the task's id. */
  submit(job: string, words?: object | string): Promise<string>;
  /** The task once it is as wanted. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into tasks of every shape.
  taskWhen(id: string, status: string): Promise<any>;
  history(id: string): Promise<string[]>;
}

export interface JobWords {
  readonly push?: object;
  readonly [key: string]: unknown;
}

export async function pushScene(flags: Readonly<Record<string, string>> = {}): Promise<PushScene> {
  const [scene, aimed] = [await restScene({ "push-allow-private": "true", ...flags }), await target()];
  return { ...scene, target: aimed, ...actions(scene.admin, aimed) };
}

export function actions(admin: Caller, aimed: Target) {
  return {
    async job(name: string, { push, ...words }: JobWords = {}): Promise<string> {
      const url = `${aimed.url}/${name}`;
      const body = { category: "modifiers", name, push: { url, ...push }, ...words };
      const { status, text } = await admin.put("/rooms/@global/jobs", body);
      if (status !== 201) throw new Error(`The job was not registered: ${text}`);
      return `@global:modifiers:${name}`;
    },
    async submit(job: string, words: object | string = { payload: {} }): Promise<string> {
      const { status, body, text } = await admin.post(`/rooms/lab/tasks/${job}`, words);
      if (status !== 202) throw new Error(`The task was not accepted: ${text}`);
      return body.id;
    },
    async taskWhen(id: string, status: string) {
      let task = (await admin.get(`/tasks/${id}`)).body;
      await until(`the task is ${status}`, async () => {
        task = (await admin.get(`/tasks/${id}`)).body;
        return task.status === status;
      });
      return task;
    },
    async history(id: string): Promise<string[]> {
      const { items } = (await admin.get(`/tasks/${id}/events`)).body;
      return items.map(({ type }: { type: string }) => type.replace("task.", ""));
    },
  };
}
