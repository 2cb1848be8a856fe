// Carrying acts on, step by step: what was written down as next is done, then the following tasks are found and written down. A
// server that dies in between leaves a plan that says whose turn it was; those are done again, and what was done already is known by its
// traces: the reason in the history of a cancelled task, the key under which a retry was submitted.

import type { SkipReason } from "../../core/skip-reason.ts";
import type { TaskPick } from "../../core/task-pick.ts";
import type { OutboxItem } from "../../ports/records.ts";
import { type ActError, type ActPlan, actIn, ended, errorsMax, type Skips } from "../control/act-plan.ts";
import type { Acts } from "../control/acts.ts";
import { isRevoked } from "../control/program-token.ts";
import type { Surroundings } from "../surroundings.ts";
import { type PickWords, roomsFor } from "./task-picks.ts";

export type Verdict = "done" | SkipReason | ActError;

export interface ActRuns {
  /** Carries everything on that is not over, unless that is happening already. */
  wake(): void;
  /** Returns when no step is under way. */
  stop(): Promise<void>;
}

export interface ActRunParts {
  readonly acts: Acts;
  readonly pickOf: (words: PickWords) => TaskPick;
  /** Does it to each of these tasks, once, however often it is asked. Throws what may pass. */
  readonly perform: (plan: ActPlan, ids: readonly string[]) => Promise<readonly Verdict[]>;
}

/** How many tasks have their turn together, and how many are looked at for them before the plan is written again. */
const turnMax = 100;
const rows = 2_000;
const looksMax = 10;

export function actRuns({ store, clock, log }: Surroundings, { acts, pickOf, perform }: ActRunParts): ActRuns {
  let stopped = false;
  let running: Promise<void> | null = null;
  let again = false;

  /** In rounds, so that a short act does not wait for the end of a long one. */
  async function run(): Promise<void> {
    while (again && !stopped) {
      again = false;
      let items = await acts.open();
      while (items.length > 0 && !again && !stopped) {
        const next: OutboxItem[] = [];
        for (const item of items) {
          const following = stopped ? null : await stepOrRest(item);
          if (following !== null) next.push(following);
        }
        items = next;
      }
    }
  }

  /** What cannot go on now rests until the next sweep calls, and keeps nobody else from going on. */
  async function stepOrRest(item: OutboxItem): Promise<OutboxItem | null> {
    try {
      return await step(item);
    } catch (error) {
      if (!stopped) log.warn("an act on many tasks was interrupted and will be carried on", { act: item.key, error });
      return null;
    }
  }

  /** The plan's next item; null where it is over, or another server was quicker. */
  async function step(item: OutboxItem): Promise<OutboxItem | null> {
    const plan = actIn(item);
    // Plans of an older version do not know their token.
    if (plan.token != null && (await isRevoked(store, plan.token))) {
      log.warn("an act on many tasks was stopped, because its token was revoked", { act: item.key });
      await acts.step(item, ended(plan, "stopped", clock.now()));
      return null;
    }
    const verdicts = await perform(plan, plan.turn);
    const counted = tallied(plan, verdicts);
    if (plan.before === null) {
      await acts.step(item, ended(counted, "done", clock.now()));
      return null;
    }
    const { turn, before } = await nextTurn(plan);
    return acts.step(item, { ...counted, turn, before, matched: counted.matched + turn.length });
  }

  async function nextTurn(plan: ActPlan): Promise<Pick<ActPlan, "turn" | "before">> {
    const rooms = roomsFor(plan.by, undefined);
    const words = { q: plan.q, pointer: "/q", now: plan.createdAt, filter: rooms === undefined ? {} : { rooms } };
    const pick = pickOf(words);
    const turn: string[] = [];
    let { before } = plan;
    for (let looks = 0; looks < looksMax && before !== null && turn.length < turnMax; looks += 1) {
      const limit = turnMax - turn.length;
      const slice = await store.read("taskScan", { pick, before, rows, limit, want: "ids" });
      turn.push(...slice.found.map(({ id }) => id));
      before = slice.through;
    }
    return { turn, before };
  }

  return {
    wake() {
      again = true;
      if (stopped || running !== null) return;
      running = run()
        .catch((error: unknown) => {
          if (!stopped) log.warn("acts on many tasks could not be read", { error });
        })
        .finally(() => {
          running = null;
        });
    },
    async stop() {
      stopped = true;
      await running;
    },
  };
}

/** After the turn. */
function tallied(plan: ActPlan, verdicts: readonly Verdict[]): ActPlan {
  const failures = verdicts.filter((verdict) => typeof verdict !== "string");
  const skipped = verdicts.filter((verdict) => typeof verdict === "string" && verdict !== "done");
  return {
    ...plan,
    done: plan.done + verdicts.length - failures.length - skipped.length,
    skipped: plan.skipped + skipped.length,
    skips: skipped.reduce(withSkip, plan.skips),
    failed: plan.failed + failures.length,
    errors: [...plan.errors, ...failures].slice(0, errorsMax),
    turn: [],
  };
}

function withSkip(skips: Skips, reason: SkipReason): Skips {
  return { ...skips, [reason]: (skips[reason] ?? 0) + 1 };
}
