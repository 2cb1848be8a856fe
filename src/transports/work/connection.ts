// The life of one connection: who it is, its heartbeats in the order they come, and its end, whoever makes it.

import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { Principal } from "../../core/access.ts";
import { badField, type Problem } from "../../core/problem.ts";
import type { WorkDesk, WorkLine } from "../../engine/desks/work-desk.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { closeCodes } from "../../protocol/work/frames.ts";
import { problemOf } from "../rest/problem-reply.ts";
import { attendance } from "./attendance.ts";
import type { WorkMetrics } from "./door.ts";
import { inOrder } from "./in-order.ts";
import * as texts from "./messages.ts";
import { type Outbox, outbox } from "./outbox.ts";
import { readFrame } from "./read-frame.ts";
import { closeCodeOf } from "./work-socket.ts";

/** What all connections share. */
export interface ConnectionParts {
  readonly desk: WorkDesk;
  readonly clock: Clock;
  readonly log: Log;
  readonly jsonDepthMax: number;
  readonly messageBytesMax: number;
  readonly bufferedBytesMax: number;
  readonly welcome: texts.WelcomeAbout;
  readonly metrics: Pick<WorkMetrics, "sent" | "received">;
  /** Calls back when the turn is over. */
  soon(flush: () => void): void;
}

export interface ConnectionLife {
  /** Who it is; throws where it may not work here. */
  admit(): Promise<Principal>;
  /** It is over: with this code, ours where we ended it, or because it did not read. */
  over(code: number | "slow"): void;
  /** Its session has heard of it too. */
  quiet(): void;
}

export interface Connection {
  /** Once a second. */
  tick(): void;
  /** Says why, and ends. */
  refuse(problem: Problem): void;
  /** The server ends. Returns when the session has heard of it. */
  stop(): Promise<void>;
}

/** How it ends; null while it is open. The worker itself may end it too. */
type Ending = { readonly by: "refusal" | "engine" | "stop" | "worker"; readonly code: number | "slow" } | null;

export function connection(ws: WebSocket, socket: Duplex, parts: ConnectionParts, life: ConnectionLife): Connection {
  const { clock, log, welcome } = parts;
  const out = outbox(ws, socket, parts);
  let who: Principal | null = null;
  let ending: Ending = null;
  const cancelSilence = clock.alarm(clock.now() + welcome.lostAfterMs, () => {
    end("refusal", closeCodes.heartbeatMissing, "no heartbeat");
  });

  function end(by: NonNullable<Ending>["by"], code: number, reason: string): void {
    if (ending !== null) return;
    ending = { by, code };
    cancelSilence();
    frames.clear();
    out.flush();
    ws.close(code, reason);
    // At once, not when the other side has closed too: what it is given meanwhile would not be sent any more.
    void leave();
  }

  function refuse(problem: Problem): void {
    if (ending !== null) return;
    out.say(texts.errorText(problem));
    end("refusal", closeCodeOf(problem), problem.code);
  }

  const line = lineOf(out, (code, reason) => end("engine", code, reason));
  const worker = attendance({
    ...{ desk: parts.desk, line, out, welcome, begins: cancelSilence },
    isOpen: () => ending === null,
  });
  const frames = inOrder({
    messageBytesMax: parts.messageBytesMax,
    take(frame) {
      const read = readFrame(frame.toString("utf8"), { depthMax: parts.jsonDepthMax });
      return read === null ? null : worker.hear(who as Principal, read);
    },
    failed: (error) => refuse(problemOf(error, log)),
    idle: () => void leave(),
  });

  /** Once it is over, and everything that came before is done. */
  async function leave(): Promise<void> {
    if (ending === null || frames.busy) return;
    const isDone = ending.by === "worker" && ending.code === closeCodes.done && worker.draining;
    try {
      await worker.leave(ending.by === "stop" ? "stopping" : isDone ? "done" : "cut");
    } catch (error) {
      log.warn("It could not be noted that a worker left", { error });
    }
  }

  ws.on("message", (frame: Buffer, isBinary) => {
    parts.metrics.received(1);
    if (ending !== null) return;
    if (frames.busy) worker.alive();
    if (isBinary) refuse(badField("", "must be a text frame"));
    else if (!frames.add(frame)) refuse(badField("", "comes while too many others wait to be taken"));
  });
  ws.on("error", (error) => log.debug("A worker's connection had a fault", { error }));
  ws.on("close", (code) => {
    cancelSilence();
    ending ??= { by: "worker", code };
    life.over(ending.code);
    leave().then(life.quiet);
  });
  frames.waitFor(
    life.admit().then((admitted) => {
      who = admitted;
    }),
  );

  return {
    refuse,
    tick() {
      try {
        if (ending === null) worker.tick();
      } catch (error) {
        // The others are ticked all the same.
        refuse(problemOf(error, log));
      }
      if (!out.isTooSlow(clock.now())) return;
      ending ??= { by: "refusal", code: "slow" };
      ws.terminate();
    },
    stop() {
      end("stop", closeCodes.goingAway, "stopping");
      return leave();
    },
  };
}

function lineOf(out: Outbox, close: (code: number, reason: string) => void): WorkLine {
  return {
    assign(assignments) {
      for (const assignment of assignments) out.say(texts.assignmentText(assignment));
    },
    told: (attempt, refusal) => out.say(texts.resultAckText(attempt, refusal)),
    cancel: (attempt) => out.say(texts.cancelText(attempt)),
    specs: (verdicts) => out.say(texts.specsText(verdicts)),
    drain: () => out.say(texts.drainText),
    command: (command) => out.say(texts.commandText(command)),
    isFull: out.isFull,
    close: (why) => close(why === "lost" ? closeCodes.heartbeatMissing : closeCodes.replaced, why),
  };
}
