// What may be among the dead letters: messages that nobody could read, each as often as it was sent, for no broker that could
// deliver one again goes while they are there; and operations that failed as they were asked to, for a person to look at.

import assert from "node:assert/strict";
import { until } from "../../../src/testing/until.ts";
import type { ChaosBroker } from "./broker.ts";
import type { Consumers } from "./consumers.ts";
import type { Expected, Load } from "./load.ts";
import { deadLetterQueue } from "./words.ts";

export interface DeadLetters {
  /**
   * Takes them. These messages are there, of which nobody could read any, and so is each failed operation of these parents;
   * throws where one is missing or does not belong there.
   */
  judge(unread: readonly string[], parents: readonly Expected[]): Promise<void>;
}

export interface DeadLettersParts {
  readonly broker: Pick<ChaosBroker, "taken">;
  readonly load: Pick<Load, "accepted">;
  readonly crew: Pick<Consumers, "said">;
}

export function deadLetters({ broker, load, crew }: DeadLettersParts): DeadLetters {
  /** How often each failed operation was found, in the whole run. */
  const found = new Map<string, number>();

  /**
   * A message may come more often than once: it was doubled, or told again, or the broker or a consumer went before it was
   * acknowledged. Each time it is run, and fails as before; but no run leaves more than one dead letter.
   */
  function tooOften(): readonly string[] {
    const runs = new Map<string, number>();
    for (const { ran, id, nth } of crew.said) add(runs, `${ran} ${nth} of ${id}`);
    return [...found]
      .filter(([operation, times]) => times > (runs.get(operation) ?? 0))
      .map(([operation, times]) => `${operation}, ${times} times, and run ${runs.get(operation) ?? 0} times`);
  }

  return {
    async judge(unread, parents) {
      const left = new Map<string, number>();
      for (const body of unread) add(left, body);
      const missing = new Set(parents.flatMap(failingOf));
      const failing = new Set(load.accepted.flatMap(failingOf));
      const strange: string[] = [];
      const look = async (): Promise<boolean> => {
        for (const text of await broker.taken(deadLetterQueue)) {
          const operation = operationIn(text);
          if (left.has(text)) add(left, text, -1);
          else if (operation === null || !failing.has(operation)) strange.push(text);
          else add(found, operation);
          missing.delete(operation ?? "");
        }
        return [...left.values()].every((count) => count <= 0) && missing.size === 0;
      };
      await until("all that belongs there is among the dead letters", look, 20_000).catch((cause) => {
        throw new Error(`Missing: ${JSON.stringify([...left])} ${[...missing].join(", ")}`, { cause });
      });
      const doubled = [...left].filter(([, count]) => count < 0).map(([text]) => text);
      assert.deepEqual([...strange, ...doubled], [], "among the dead letters is what does not belong there");
      assert.deepEqual(tooOften(), [], "among the dead letters is something too often");
    },
  };
}

function add(map: Map<string, number>, key: string, count = 1): void {
  map.set(key, (map.get(key) ?? 0) + count);
}

function failingOf({ id, payload }: Expected): readonly string[] {
  if (!("parts" in payload)) return [];
  return payload.parts.flatMap(({ failAt, nth }) => (failAt === undefined ? [] : [`${failAt} ${nth} of ${id}`]));
}

/** Null where it is none of ours. */
function operationIn(text: string): string | null {
  if (!text.startsWith('{"operation"')) return null;
  const { operation, job_id: parent, index } = JSON.parse(text);
  return `${operation} ${index} of ${parent}`;
}
