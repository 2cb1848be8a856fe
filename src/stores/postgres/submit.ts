import type { ClientBase } from "pg";
import type { IdempotencyKey } from "../../ports/records.ts";
import type { SubmitAnswer, SubmitCall } from "../../ports/store.ts";
import { plainArray } from "./arrays.ts";
import { writeAudit } from "./audit.ts";
import { lend } from "./connections.ts";
import type { Database } from "./database.ts";
import { patiently, untilGone } from "./patience.ts";
import { readKey } from "./read-catalog.ts";
import { ask, type Statement } from "./statement.ts";
import { type SubmitRow, submitTasks, valuesInOrder } from "./submit-statement.ts";
import { submitValues } from "./submit-values.ts";
import { transact } from "./transact.ts";

const selectTaskIds: Statement = {
  name: "select_task_ids",
  text: `
    select t.id
    from unnest($1::uuid[]) n (id)
    join task t on t.id = n.id`,
};

export async function submit(database: Database, calls: readonly SubmitCall[]): Promise<SubmitAnswer[]> {
  if (calls.length === 0) return [];
  const waves = wavesOf(calls);
  const isAlone = waves.length === 1 && calls.every(({ audit = [] }) => audit.length === 0);
  const answers = await (isAlone ? submitOnce(database, calls) : submitWaves(database, calls, waves));
  for (const { tasks } of calls) database.floors.submitted(tasks);
  return answers;
}

function submitWaves(
  database: Database,
  calls: readonly SubmitCall[],
  waves: readonly (readonly number[])[],
): Promise<SubmitAnswer[]> {
  return transact(database, async (client) => {
    const answers: SubmitAnswer[] = [];
    for (const wave of waves) {
      const given = await submitWave(
        client,
        wave.map((index) => calls[index] as SubmitCall),
      );
      wave.forEach((call, index) => {
        answers[call] = given[index] as SubmitAnswer;
      });
    }
    const entries = calls.flatMap(({ audit = [] }, index) => (answers[index]?.kind === "accepted" ? audit : []));
    if (entries.length > 0) await writeAudit(client, entries);
    return answers;
  });
}

/** Calls that depend on an earlier one of the batch, by its key or its tasks, come in a later wave. */
function wavesOf(calls: readonly SubmitCall[]): number[][] {
  const waves: number[][] = [];
  const waveOf = new Map<string, number>();
  for (const [index, { key, tasks }] of calls.entries()) {
    const keyText = key === null ? null : JSON.stringify([key.scope, key.key]);
    const parents = tasks.flatMap(({ card }) => card.parent ?? []);
    const before = [...parents, ...(keyText === null ? [] : [keyText])].map((name) => waveOf.get(name) ?? -1);
    const wave = Math.max(-1, ...before) + 1;
    waves[wave] ??= [];
    waves[wave].push(index);
    if (keyText !== null) waveOf.set(keyText, wave);
    for (const { card } of tasks) waveOf.set(card.id, wave);
  }
  return waves;
}

/** One statement, committed by itself. The ids are ours, so tasks that are there were accepted. */
async function submitOnce(database: Database, calls: readonly SubmitCall[]): Promise<SubmitAnswer[]> {
  return patiently(database, async (lost) => {
    await untilGone(database.writers, lost);
    return lend(database.writers, async (client) => {
      const there = lost.length === 0 ? nothing : await tasksThere(client, calls);
      const isThere = ({ tasks }: SubmitCall) => tasks[0] !== undefined && there.has(tasks[0].card.id);
      const left = calls.filter((call) => !isThere(call));
      const given = left.length === 0 ? [] : await submitWave(client, left);
      const rest = lost.length === 0 ? given : given.map((answer, index) => ownKey(answer, left[index] as SubmitCall));
      const answers = new Map(left.map((call, index) => [call, rest[index] as SubmitAnswer]));
      return calls.map((call) => answers.get(call) ?? accepted);
    });
  });
}

const accepted: SubmitAnswer = { kind: "accepted" };
const nothing: ReadonlySet<string> = new Set();

async function tasksThere(client: ClientBase, calls: readonly SubmitCall[]): Promise<Set<string>> {
  const first = calls.flatMap(({ tasks }) => tasks[0]?.card.id ?? []);
  const found = await ask<[string]>(client, selectTaskIds, [plainArray(first)]);
  return new Set(found.map(([id]) => id));
}

/** A key that was used by this very call, before its answer was lost, is no repetition. */
function ownKey(answer: SubmitAnswer, { key }: SubmitCall): SubmitAnswer {
  if (answer.kind !== "repeated" || key === null) return answer;
  const { bodyHash, answer: text, at } = answer.first;
  return bodyHash === key.bodyHash && text === key.answer && at === key.at ? accepted : answer;
}

async function submitWave(client: ClientBase, calls: readonly SubmitCall[]): Promise<SubmitAnswer[]> {
  const rows = await ask<SubmitRow>(client, submitTasks, valuesInOrder(submitValues(calls)));
  if (rows.length === 0) return calls.map(() => accepted);
  const parents = calls.flatMap(({ tasks }) => tasks.flatMap(({ card }) => card.parent ?? []));
  const answers: SubmitAnswer[] = [];
  for (const [index, call] of calls.entries()) {
    const [reason] = rows.filter((row) => row[1] === index).sort(byReason);
    answers.push(reason === undefined ? accepted : await answerOf(client, call, reason, parents));
  }
  return answers;
}

const reasons = ["repeated", "conflict", "job-changed", "parent-closed"] as const satisfies readonly SubmitRow[0][];

function byReason(a: SubmitRow, b: SubmitRow): number {
  return reasons.indexOf(a[0]) - reasons.indexOf(b[0]) || a[2] - b[2];
}

async function answerOf(
  client: ClientBase,
  call: SubmitCall,
  row: SubmitRow,
  parents: readonly string[],
): Promise<SubmitAnswer> {
  const [why, , nth, job, bodyHash, answer, at] = row;
  if (why === "job-changed") return { kind: "job-changed", job };
  if (why === "parent-closed") return { kind: "parent-closed", parent: parents[nth - 1] as string };
  const key = call.key as IdempotencyKey;
  const { scope, key: name } = key;
  if (why === "repeated") {
    return { kind: "repeated", first: { scope, key: name, bodyHash, answer, at } as IdempotencyKey };
  }
  // Whoever was first may have been pruned since: then this call is the first.
  const first = await readKey(client, key);
  return first === null ? ((await submitWave(client, [call]))[0] as SubmitAnswer) : { kind: "repeated", first };
}
