// What a server makes of what executors say. The first who asks for an assignment has it; what anybody else says of it is
// not listened to.

import type { Ending, Hold } from "../../core/internal-job.ts";
import type { Reports } from "../../ports/broker.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ToExecutor, ToServer } from "../../protocol/internal/amqp.ts";
import type { Crew } from "./crew.ts";
import { type Out, type Outgoing, stopped } from "./outgoing.ts";

export interface ExecutorWordsParts {
  readonly clock: Clock;
  readonly reports: Reports;
  readonly crew: Crew;
  readonly outs: Outgoing;
  /** This server's own queue. */
  readonly server: string;
  send(executor: string, message: ToExecutor): Promise<void>;
  finish(out: Out, ending: Ending): void;
}

export function executorWords(parts: ExecutorWordsParts): (message: ToServer) => void {
  const { clock, reports, crew, outs, server, send, finish } = parts;

  async function answer(executor: string, hold: Hold, out: Out | undefined): Promise<void> {
    if (out?.executor === null) {
      out.executor = executor;
      out.heldAt = clock.now();
      out.may = reports.started(out.assignment);
    }
    const may = out !== undefined && out.executor === executor && (await out.may) === true;
    await send(executor, { type: "go", server, hold, may });
    // Whoever may not run it forgets it.
    if (out?.executor === executor && !may) finish(out, stopped("The task is in other hands"));
  }

  function compare(executor: string, holds: readonly Hold[]): void {
    for (const hold of holds) {
      const out = outs.get(hold);
      if (out?.executor === executor) out.heldAt = clock.now();
      if (out !== undefined && (out.executor === null || out.executor === executor)) continue;
      void send(executor, { type: "abort", server, hold, reason: "The task is in other hands" });
    }
  }

  function speak(out: Out, message: Extract<ToServer, { readonly hold: Hold }>): void {
    if (message.type === "progressed") reports.progressed(out.assignment, message.progress);
    if (message.type === "logged") reports.logged(out.assignment, message.lines);
    if (message.type === "ended") finish(out, message.ending);
  }

  return (message) => {
    const { executor, type } = message;
    if (type === "alive") {
      if (crew.heard(executor, message)) reports.placed();
      return;
    }
    crew.heard(executor);
    if (type === "holding") return compare(executor, message.holds);
    const out = outs.get(message.hold);
    if (type === "asked") return void answer(executor, message.hold, out);
    if (type === "ended") void send(executor, { type: "heard", server, hold: message.hold });
    // It may have ended before it came to ask.
    const isTheirs = out?.executor === executor || (out?.executor === null && type === "ended");
    if (out !== undefined && isTheirs) speak(out, message);
  };
}
