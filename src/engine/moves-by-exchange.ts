// The short way of a move: decided on this server's copy of the task, written with the next exchange. Nearly every move
// takes it, so it costs no promise unless the caller wants one.

import { checkCount, checkMove } from "../core/checks.ts";
import { noChildren } from "../core/family.ts";
import { Problem } from "../core/problem.ts";
import type { Move } from "../core/task.ts";
import type { OpenTask } from "../ports/records.ts";
import type { Told } from "./exchange-load.ts";
import type { DecideOn, Exchanger } from "./exchanger.ts";
import type { MovedTask } from "./folding.ts";
import type { Held } from "./held.ts";
import type { MoveRequest } from "./moves.ts";

export interface MovesByExchange {
  /** See `Moves.join`. */
  join<R extends MoveRequest>(request: R, told: Told<R>): boolean;
  /** Null where the copy could not answer, or was no longer true. */
  move(request: MoveRequest): Promise<MovedTask | null>;
}

export interface ExchangeMoveParts {
  readonly held: Held;
  readonly exchanger: Exchanger;
  readonly decide: DecideOn<MoveRequest>;
  readonly textBytesMax: number;
}

export function movesByExchange({ held, exchanger, decide, textBytesMax }: ExchangeMoveParts): MovesByExchange {
  function check({ move, fence }: MoveRequest): void {
    checkMove(move, textBytesMax);
    if ("holder" in fence) checkCount("/attempt", fence.holder.attempt);
  }

  function mayJoin({ id, move, fence }: MoveRequest): boolean {
    // Its entry belongs to the same transaction, and an exchange has no place for it.
    if ("anyone" in fence && fence.audit !== undefined) return false;
    const copy = held.get(id);
    return copy !== undefined && travelsAlone(copy, move);
  }

  /** A refusal by the copy is only an opinion: it may be old. The locked path has the last word. */
  function joined<R extends MoveRequest>(request: R, told: Told<R>): boolean {
    try {
      return exchanger.join(request, decide, told);
    } catch (error) {
      if (error instanceof Problem && !error.retry) return false;
      throw error;
    }
  }

  return {
    join(request, told) {
      check(request);
      return mayJoin(request) && joined(request, told);
    },
    async move(request) {
      check(request);
      if (!mayJoin(request)) return null;
      const landed = exchanger.landed(request.id);
      // Without a wait where there is nothing to wait for: moves of one task are made in the order they were asked for.
      if (landed !== null) await landed;
      return new Promise((resolve, reject) => {
        const settled = (_: MoveRequest, task: MovedTask, missed: boolean): void => resolve(missed ? null : task);
        const failed = (_: MoveRequest, error: unknown): void => reject(error);
        if (!joined(request, { settled, failed })) resolve(null);
      });
    },
  };
}

/**
 * A child's start and end concern its parent's row too; whether a deferral ends the task may be up to its children, and
 * its messages are rows of the outbox.
 */
function travelsAlone(task: OpenTask, move: Move): boolean {
  const { done, failed } = task.row.children ?? noChildren;
  if (move.type === "defer" && (move.messages !== undefined || done + failed >= move.total)) return false;
  return task.card.parent === null || move.type === "progress" || move.type === "release";
}
