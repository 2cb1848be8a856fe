// A worker's session at the desk, as its heartbeats make it: the first registers, each later one is a beat, and one that
// brings another registration changes it.

import type { Principal } from "../../core/access.ts";
import { badField } from "../../core/problem.ts";
import type { WorkDesk, WorkLine, WorkSession } from "../../engine/desks/work-desk.ts";
import type { Registration } from "../../protocol/work/frames.ts";
import { beatWords, registrationWords } from "./beat-words.ts";
import { beatText, specsText, type WelcomeAbout, welcomeText } from "./messages.ts";
import type { Outbox } from "./outbox.ts";
import type { ReadHeartbeat } from "./read-frame.ts";

export interface Attendance {
  /** Answers a promise where later heartbeats have to wait for it. */
  hear(who: Principal, read: ReadHeartbeat): Promise<void> | null;
  /** A heartbeat is here, and waits to be heard. */
  alive(): void;
  /** Once a second. */
  tick(): void;
  leave(how: "done" | "cut" | "stopping"): Promise<void>;
  /** Whether it has said that it takes no more. */
  readonly draining: boolean;
}

export interface AttendanceParts {
  readonly desk: WorkDesk;
  readonly line: WorkLine;
  readonly out: Outbox;
  readonly welcome: WelcomeAbout;
  /** The first heartbeat is here. */
  begins(): void;
  /** Whether anybody is there to be given anything. */
  isOpen(): boolean;
}

export function attendance({ desk, line, out, welcome, begins, isOpen }: AttendanceParts): Attendance {
  let session: WorkSession | null = null;
  let left: Promise<void> | null = null;
  let draining = false;
  let lastSeq = -1;

  /** A connection keeps its order, so what does not rise was said before, by mistake or on purpose. */
  function checkOrder(seq: number): void {
    if (seq <= lastSeq) throw badField("/seq", "must be higher than that of the heartbeat before");
    lastSeq = seq;
  }

  async function enter(who: Principal, registration: Registration, read: ReadHeartbeat): Promise<void> {
    begins();
    const entered = await desk.enter(who, registrationWords(registration), line);
    session = entered;
    out.setBatched(registration.capabilities?.batch === true);
    out.sayFirst(welcomeText(entered, welcome));
    await beat(entered, read);
  }

  async function change(known: WorkSession, registration: Registration, read: ReadHeartbeat): Promise<void> {
    await known.change({ ...registrationWords(registration), resume: null });
    out.setBatched(registration.capabilities?.batch === true);
    out.say(specsText(known.verdicts()));
    await beat(known, read);
  }

  function beat(known: WorkSession, read: ReadHeartbeat): Promise<void> | null {
    const words = beatWords(read);
    draining = words.draining;
    // Results count in any case.
    known.beat(isOpen() ? words : { ...words, ready: 0 });
    return known.relief();
  }

  return {
    hear(who, read) {
      const { registration, seq } = read.heartbeat;
      checkOrder(seq);
      if (session !== null && registration !== undefined) return change(session, registration, read);
      if (registration !== undefined) return enter(who, registration, read);
      if (session === null) throw badField("/registration", "is missing: the first heartbeat registers the worker");
      return beat(session, read);
    },
    alive: () => session?.alive(),
    tick() {
      if (session !== null) out.sayShort(beatText(session.tick()));
    },
    leave(how) {
      left ??= session?.leave(how) ?? null;
      return left ?? Promise.resolve();
    },
    get draining() {
      return draining;
    },
  };
}
