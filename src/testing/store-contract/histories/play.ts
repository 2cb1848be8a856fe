// Plays a history on two sides and compares every answer, then everything that is left behind.

import assert from "node:assert/strict";
import { newTaskRow } from "../../../core/task-row.ts";
import type { ClaimedTask, OpenTask } from "../../../ports/records.ts";
import type { Amended, AmendView, ExchangeAnswer, Store, SubmitAnswer } from "../../../ports/store.ts";
import { pick } from "../../random-moves.ts";
import { decisionOf } from "./amendment.ts";
import { audit, auditClaims, openTasks } from "./audit.ts";
import { jobNames, type Known, learn, nothingKnown } from "./known.ts";
import type { Operation } from "./operations.ts";
import { callsOf, demandOf, perform, writesOf } from "./perform.ts";
import { comparable, type Side } from "./side.ts";

/** The model answers first; what it says is what is known from then on. */
export async function play(history: readonly Operation[], model: Side, adapter: Side): Promise<void> {
  const state = nothingKnown();
  for (const [index, operation] of history.entries()) {
    if (operation.do === "wait") state.now += operation.ms;
    else await playOne(index, operation, model, adapter, state);
  }
  const [expected, found] = [await audit(model, state), await audit(adapter, state)];
  assert.deepStrictEqual(comparable(adapter, found), comparable(model, expected), "what is left behind");
}

async function playOne(index: number, operation: Operation, model: Side, adapter: Side, state: Known): Promise<void> {
  const [reference] = model.stores as [Store];
  const before = operation.do === "exchange" && adapter.info.kind === "memory" ? await openTasks(reference) : null;
  const expected = await perform(operation, model, reference, state);
  const answer = await perform(operation, adapter, adapter.stores[index % adapter.stores.length] as Store, state);
  learnLanes(operation, model, expected);
  learnLanes(operation, adapter, answer);
  const what = `the answer to operation ${index}, ${operation.do}`;
  assert.deepStrictEqual(comparable(adapter, answer), comparable(model, expected), what);
  if (operation.do === "exchange" && before !== null) {
    const demands = operation.demands.map((plan) => demandOf(plan, model));
    await auditClaims(reference, before, writesOf(operation.writes, state), demands, expected as ExchangeAnswer);
  }
  learnAnswer(operation, model, expected, state);
}

function learnLanes(operation: Operation, side: Side, answer: unknown): void {
  if (operation.do !== "amend" || answer === "refused") return;
  const { lanes } = answer as Amended<AmendView>;
  operation.plan.lanes.forEach((n, index) => {
    side.lanes[n] = (lanes[index] as { id: number }).id;
  });
}

function learnAnswer(operation: Operation, model: Side, answer: unknown, state: Known): void {
  const written = operation.do === "append" ? pick(state.ids, operation.task) : undefined;
  if (written !== undefined) state.written.add(written);
  if (operation.do === "submit") learnSubmit(operation, model, answer as SubmitAnswer[], state);
  if (operation.do === "exchange") learnExchange(operation, answer as ExchangeAnswer, state);
  const amended = operation.do === "amend" && answer !== "refused";
  if (amended) learnAmend(operation, model, answer as Amended<AmendView>, state);
}

function learnSubmit(
  operation: Extract<Operation, { do: "submit" }>,
  model: Side,
  answers: readonly SubmitAnswer[],
  state: Known,
): void {
  const calls = callsOf(operation.calls, model, state);
  for (const [index, { tasks, outbox }] of calls.entries()) {
    state.made += tasks.length + outbox.length;
    if (answers[index]?.kind !== "accepted") continue;
    state.outbox.push(...outbox.map((item) => item.id));
    for (const { card, runAt } of tasks) {
      state.ids.push(card.id);
      learn(state, { card, row: newTaskRow(card.id, card.createdAt, runAt) });
    }
  }
}

function learnExchange(
  operation: Extract<Operation, { do: "exchange" }>,
  { written, claimed }: ExchangeAnswer,
  state: Known,
): void {
  for (const [index, { next }] of writesOf(operation.writes, state).entries()) {
    if (written[index]) learnRow(state, next);
  }
  for (const task of claimed.flat(2) as ClaimedTask[]) learn(state, task);
}

function learnAmend(
  { plan }: Extract<Operation, { do: "amend" }>,
  model: Side,
  { answer }: Amended<AmendView>,
  state: Known,
): void {
  const { tasks = [], outbox = [] } = decisionOf(plan, state, model.lanes)(answer);
  for (const { next } of tasks) learnRow(state, next);
  state.outbox.push(...outbox.map((item) => item.id));
  state.made += 1;
  if (plan.toJobs === "nothing") return;
  for (const name of plan.jobs.flatMap((n) => jobNames[n] ?? [])) {
    state.revisions.set(name, (state.revisions.get(name) as number) + 1);
  }
}

function learnRow(state: Known, row: OpenTask["row"]): void {
  const card = state.copies.get(row.id)?.[0]?.card;
  if (card !== undefined) learn(state, { card, row });
}
