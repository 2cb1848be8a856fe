// Tasks and coordinators that are submitted together, and how each of them has to end.

import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import type { Chance } from "../chance.ts";
import type { PatientAsk } from "../fleet/patient-caller.ts";
import { type Part, queues, type Spread, type Work } from "./words.ts";

export interface Expected {
  readonly id: string;
  readonly payload: Work | Spread;
  readonly status: "completed" | "failed";
  readonly code: string | null;
  /** Of a coordinator. */
  readonly children: { readonly total: number; readonly done: number; readonly failed: number } | null;
}

export interface BurstOptions {
  readonly tasks: number;
  readonly coordinators?: number;
  readonly parts?: number;
  readonly queue?: string;
  /** How long each task takes, and each step of each part at most. */
  readonly ms?: number;
  readonly partMs?: number;
}

export interface Load {
  /** Everything that was accepted. */
  readonly accepted: readonly Expected[];
  /** Resolves when all are accepted, however often they had to be offered. */
  burst(options: BurstOptions): Promise<readonly Expected[]>;
  /** Resolves when all of these have ended; throws where one did not, or not as it was asked to. */
  drained(burst: readonly Expected[], limitMs: number): Promise<void>;
}

const laterMs = 600;

export function newLoad(ask: PatientAsk, chance: Chance): Load {
  const accepted: Expected[] = [];
  let marks = 0;
  const nextMark = (): string => {
    marks += 1;
    return `m${marks}`;
  };

  async function submit(job: string, payload: Work | Spread, queue: string): Promise<string> {
    const { status, body } = await ask("POST", `/rooms/@global/tasks/@global:operations:${job}`, {
      ...{ body: { payload, queue }, headers: { "idempotency-key": payload.mark } },
    });
    assert.ok(status === 202 || status === 200, `${status} ${JSON.stringify(body)}`);
    return body.id;
  }

  async function work({ queue = queues.jobs, ms = 10 }: BurstOptions): Promise<Expected> {
    const fail = ms < 1_000 && chance.happens(0.15);
    const isLater = ms < 1_000 && chance.happens(0.1);
    const payload: Work = {
      ...{ mark: nextMark(), fail, ms },
      ...(isLater && { notBefore: Date.now() + laterMs }),
    };
    const id = await submit("work", payload, queue);
    const end = fail ? ({ status: "failed", code: "Asked" } as const) : ({ status: "completed", code: null } as const);
    return { id, payload, ...end, children: null };
  }

  async function spread({ parts: total = 10, partMs = 10 }: BurstOptions): Promise<Expected> {
    const mark = nextMark();
    // None of them, some of them, or all: each has its own end.
    const share = chance.oneOf([0, 0.2, 1]) as number;
    const parts = Array.from({ length: total }, (_, nth) =>
      part({ mark, nth, ms: chance.between(0, partMs) }, nth === 0 ? share > 0 : chance.happens(share)),
    );
    const failed = parts.filter(({ failAt }) => failAt !== undefined).length;
    const payload: Spread = { mark, parts };
    const id = await submit("spread", payload, queues.jobs);
    const code = failed === 0 ? null : failed === total ? "AllChildrenFailed" : "PartialChildFailure";
    const status = failed === 0 ? "completed" : "failed";
    return { id, payload, status, code, children: { total, done: total - failed, failed } };
  }

  function part(about: Part, fails: boolean): Part {
    return {
      ...about,
      ...(fails && { failAt: chance.oneOf(["batch", "write"] as const) as "batch" }),
      ...(chance.happens(0.05) && { notBefore: Date.now() + laterMs }),
    };
  }

  return {
    accepted,
    async burst(options) {
      const { tasks, coordinators = 0 } = options;
      const all = await Promise.all([
        ...Array.from({ length: coordinators }, () => spread(options)),
        ...Array.from({ length: tasks }, () => work(options)),
      ]);
      accepted.push(...all);
      return all;
    },
    async drained(burst, limitMs) {
      const until = performance.now() + limitMs;
      let open = [...burst];
      for (;;) {
        const left: string[] = [];
        for (const [nth, body] of (await Promise.all(open.map(({ id }) => ask("GET", `/tasks/${id}`)))).entries()) {
          const expected = open[nth] as Expected;
          if (["completed", "failed", "cancelled"].includes(body.body.status)) assertEnd(body.body, expected);
          else left.push(expected.id);
        }
        open = open.filter(({ id }) => left.includes(id));
        if (open.length === 0) return;
        if (performance.now() > until) throw new Error(await stuckWords(ask, open));
        await pause(100);
      }
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: an answer of the server.
function assertEnd({ id, status, error_code, children }: any, expected: Expected): void {
  const counts = expected.children === null ? null : pick(children);
  const is = { id, status, code: error_code ?? null, children: counts };
  const { payload: _, ...asked } = expected;
  assert.deepEqual(is, asked, `as ${JSON.stringify(expected.payload).slice(0, 500)} asked for`);
}

function pick({ total, done, failed }: NonNullable<Expected["children"]>): Expected["children"] {
  return { total, done, failed };
}

/** The first few that have not ended, with all that is known of them. */
async function stuckWords(ask: PatientAsk, open: readonly Expected[]): Promise<string> {
  const shown = await Promise.all(
    open.slice(0, 3).map(async ({ id }) => {
      const [{ body: task }, { body: events }] = await Promise.all([
        ask("GET", `/tasks/${id}`),
        ask("GET", `/tasks/${id}/events`),
      ]);
      const history = events.items.map(({ type, at, data }: Record<string, unknown>) =>
        [type, at, JSON.stringify(data)].join(" "),
      );
      return `${JSON.stringify(task).slice(0, 1_500)}\n  ${history.join("\n  ")}`;
    }),
  );
  return `${open.length} have not ended:\n${shown.join("\n")}`;
}
