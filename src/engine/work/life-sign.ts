// A sign of life of a connected worker, noted where its session is kept.

import { Problem } from "../../core/problem.ts";
import type { Log } from "../../ports/log.ts";
import type { Operations } from "../engine.ts";
import type { Life } from "../lives.ts";

/** Each call is one; `gone` is called where the worker is not known any more. */
export function lifeSign(
  log: Log,
  operations: Pick<Operations, "lifeOf" | "heard" | "beat">,
  worker: string,
  gone: () => void,
): () => void {
  let life: Life | null = null;
  return () => {
    if (life === null || life.isOver) life = operations.lifeOf(worker);
    if (life !== null && operations.heard(life)) return;
    operations.beat(worker).catch((error) => {
      if (error instanceof Problem && error.code === "worker-not-found") gone();
      else log.warn("a sign of life could not be noted", { worker, error });
    });
  };
}
