// A job of its own with a worker, and the few steps that most tests of tasks begin with, over real HTTP.

import assert from "node:assert/strict";
import type { Caller, Reply } from "./scene.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
export type Body = any;

export interface Workshop {
  readonly room: string;
  /** Full name. */
  readonly job: string;
  readonly owner: Caller;
  readonly worker: string;
  /** Where tasks of the job are submitted. */
  readonly path: string;
  submit(words?: object, who?: Caller): Promise<Body>;
  /** The next task; fails where there is none. */
  claim(worker?: string, who?: Caller): Promise<Body>;
  /** Submitted and claimed; only where nothing else is pending. */
  held(words?: object, who?: Caller): Promise<Body>;
  /** Submitted, claimed and started. */
  running(words?: object, who?: Caller): Promise<Body>;
  /** Another worker of the same job. */
  another(owner: Caller): Promise<string>;
}

let made = 0;

/** `words` are said when the job is registered: policy, schema, output. */
export async function workshop(owner: Caller, words: object = {}): Promise<Workshop> {
  made += 1;
  const room = `room-${made}`;
  const job = `${room}:modifiers:Work`;
  const path = `/rooms/${room}/tasks/${job}`;
  const another = async (who: Caller): Promise<string> => {
    const registered = await who.put(`/rooms/${room}/jobs`, { category: "modifiers", name: "Work", ...words });
    assert.ok(registered.status === 201 || registered.status === 200, registered.text);
    return registered.body.worker_id;
  };
  const worker = await another(owner);

  async function submit(more: object = {}, who = owner): Promise<Body> {
    return the(202, await who.post(path, more));
  }

  async function claim(by = worker, who = owner): Promise<Body> {
    const { task } = the(200, await who.post("/tasks/claim", { worker_id: by }));
    assert.notEqual(task, null, "there is nothing to claim");
    return task;
  }

  async function held(more?: object, who?: Caller): Promise<Body> {
    const { id } = await submit(more, who);
    const task = await claim();
    assert.equal(task.id, id);
    return task;
  }

  async function running(more?: object, who?: Caller): Promise<Body> {
    const { id, lease_token } = await held(more, who);
    return { ...the(200, await owner.patch(`/tasks/${id}`, { status: "running", lease_token })), lease_token };
  }

  return { room, job, owner, worker, path, another, submit, claim, held, running };
}

/** The body of an answer that has this status. */
export function the(status: number, reply: Reply): Body {
  assert.equal(reply.status, status, reply.text);
  return reply.body;
}

/** That the answer is this problem, told as one. */
export function refused(reply: Reply, status: number, code: string): void {
  assert.equal(reply.status, status, reply.text);
  assert.equal(reply.headers.get("content-type"), "application/problem+json");
  assert.equal(reply.body.type, `/v1/problems/${code}`, reply.text);
  assert.equal(reply.body.status, status);
}

/** The types of a task's history, without their first word. */
export async function history(who: Caller, id: string): Promise<string[]> {
  const { items } = the(200, await who.get(`/tasks/${id}/events?limit=500`));
  return items.map(({ type }: Body) => type.replace("task.", ""));
}

/** The lines of a history that have this type. */
export async function lines(who: Caller, id: string, type: string): Promise<Body[]> {
  const { items } = the(200, await who.get(`/tasks/${id}/events?limit=500`));
  return items.filter((line: Body) => line.type === `task.${type}`);
}

export function pointers(reply: Reply): string[] {
  return reply.body.errors.map(({ pointer }: Body) => pointer);
}
