import assert from "node:assert/strict";
import { test } from "node:test";
import type { SteadyApi } from "../steady-api.ts";
import { askedBefore } from "./retry-delay.ts";

const later = { type: "task.released", data: { reason: "retry_later" } };
const shutdown = { type: "task.released", data: { reason: "shutdown" } };
const progress = { type: "task.progressed", data: null };

/** A server with this history, which it gives page by page. */
function serverOf(history: readonly object[]): { readonly api: SteadyApi; readonly asked: string[] } {
  const asked: string[] = [];
  const request = async (_method: string, path: string) => {
    asked.push(path);
    const { searchParams: page } = new URL(path, "http://server");
    const [limit, offset] = [Number(page.get("limit")), Number(page.get("offset") ?? 0)];
    return { body: { items: history.slice(offset, offset + limit) } };
  };
  return { api: { request } as unknown as SteadyApi, asked };
}

test("how often a task has asked to be tried later is counted in all of its history, however long", async () => {
  const history = [...Array(700).fill(progress), later, shutdown, ...Array(700).fill(progress), later];
  const { api } = serverOf(history);
  assert.equal(await askedBefore(api, { id: "t", attempt: 4 }), 2);
});

test("a first attempt costs no question, and a history without end not more than a few", async () => {
  const { api, asked } = serverOf(Array(100_000).fill(progress));
  assert.equal(await askedBefore(api, { id: "t", attempt: 1 }), 0);
  assert.equal(asked.length, 0);
  assert.equal(await askedBefore(api, { id: "t", attempt: 3 }), 2);
  assert.equal(asked.length, 20);
});
