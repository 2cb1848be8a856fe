// One connection of a worker that is given its tasks: how many it may get, what it has, whether it hears us, and what
// becomes of what it says. The connection may end between any two lines: what was claimed and not sent goes back, and
// what was sent is the worker's until its window ends or it comes back without it.

import type { WorkBeat, WorkLine, WorkRegistration } from "../desks/work-desk.ts";
import type { Operations } from "../engine.ts";
import type { HeldAttempt } from "../letting-go.ts";
import type { Surroundings } from "../surroundings.ts";
import { creditAccount, isUnchanged, isUnsure, noteSeen, noteSpoken } from "./credit-account.ts";
import { type GivingParts, giving } from "./giving.ts";
import { echoed, excuse, hearingTest, isDeaf, nextNonce } from "./hearing-test.ts";
import type { Hands } from "./in-hand.ts";
import { lifeSign } from "./life-sign.ts";
import { nothingToCount, recount } from "./recount.ts";
import type { Words } from "./words.ts";

export interface SessionParts {
  readonly operations: Pick<Operations, "stand" | "lifeOf" | "heard" | "beat" | "givingBack" | "catalog" | "losing">;
  readonly words: Words;
  /** The worker says that it takes nothing more, or that it does again; or it does not hear us, or does again. */
  changed(what: "draining" | "active" | "deaf" | "hearing"): void;
}

export interface SessionStart {
  readonly worker: string;
  readonly registration: WorkRegistration;
  readonly line: WorkLine;
  readonly hands: Hands;
  /** After so much silence it is lost, unless it is heard of by another way. */
  readonly lostMs: number;
  /** Whether it had another connection before. */
  readonly resumed: boolean;
  /** As the worker calls the job. */
  specOf(job: string): string;
}

export interface Session {
  beat(beat: WorkBeat): void;
  /** It has said something that waits to be taken. What it has seen is not known before that. */
  alive(): void;
  relief(): Promise<void> | null;
  tick(): number;
  /** A later registration. */
  renew(registration: WorkRegistration): void;
  /** It is not its own any more; a certain attempt, or whichever it has. */
  cancelled(task: string, attempt?: number): void;
  /** Something is out of its hands. */
  freed(): void;
  /**
   * It goes for good, if it said so before: what crossed that on its way to it goes back. Answers whether there was nothing
   * of that kind, nor anything in its hands.
   */
  goodbye(): boolean;
  isDraining(): boolean;
  /** Nothing is said to the worker any more; why it is told so is null where it has gone by itself. */
  end(why: "lost" | "replaced" | null): void;
}

export function workSession({ clock, log, settings }: Surroundings, parts: SessionParts, start: SessionStart): Session {
  const { operations, words } = parts;
  const { worker, line, hands } = start;
  const [account, hearing] = [creditAccount(), hearingTest()];
  const unsure = { account, hands, line, operations };
  let { registration } = start;
  let [draining, deaf, ended] = [false, false, false];
  let lastBeatAt = clock.now();
  const sign = lifeSign(log, operations, worker, () => end("lost"));
  /** It lives by another way: by another connection, or it is too busy for this one. What is sent here is in vain. */
  const isSilent = (): boolean => clock.now() - lastBeatAt >= start.lostMs;
  const { want, isContent, rethink, isAsking, close } = giving(clock, {
    ...{ ...start, operations, account, gone: () => end("lost") },
    isOpen: () => !draining && !deaf && !isSilent() && !counting.isUnderWay() && !line.isFull(),
  });
  const counting = start.resumed
    ? recount(log, { ...start, ...operations, since: lastBeatAt, isAsking, isOver: () => ended, changed: want })
    : nothingToCount;

  function beat(said: WorkBeat): void {
    if (ended) return;
    lastBeatAt = clock.now();
    sign();
    if (said.echo !== null) echoed(hearing, said.echo);
    const isSame = isUnchanged(account, said);
    if (!isSame) noteSpoken(account, said.ready, said.acked, lastBeatAt);
    judgeHearing();
    // Most beats only say that the worker is there.
    if (isSame && said.draining === draining && isContent() && words.isNothing(said)) return;
    words.say(said, saw);
    if (said.draining !== draining) parts.changed(said.draining ? "draining" : "active");
    draining = said.draining;
    want();
  }

  /** Whoever tells of a task has seen it, and all that came before it. */
  function saw({ task, attempt }: HeldAttempt): void {
    noteSeen(account, hands.get(task, attempt)?.seq ?? 0);
  }

  function judgeHearing(): void {
    const before = deaf;
    deaf = registration.echo && isDeaf(hearing, clock.now(), lastBeatAt);
    if (deaf === before) return;
    parts.changed(deaf ? "deaf" : "hearing");
    want();
  }

  function end(why: "lost" | "replaced" | null): void {
    if (ended) return;
    ended = true;
    close();
    if (why !== null) line.close(why);
  }

  return {
    ...{ beat, end, relief: words.relief, freed: rethink, isDraining: () => draining },
    alive() {
      if (ended) return;
      excuse(hearing);
      sign();
    },
    tick() {
      if (ended) return 0;
      // Of whom we do not listen to, we do not know what it has seen.
      const isKnown = isUnsure(account) && words.relief() === null;
      if (isKnown && takeBackUnseen(unsure, lastBeatAt - settings.ackWithinMs, registration.cancel)) want();
      judgeHearing();
      if (isSilent()) want();
      counting.look(clock.now());
      return nextNonce(hearing, clock.now());
    },
    renew(words) {
      registration = words;
    },
    cancelled(task, attempt) {
      const one: HeldAttempt | undefined = hands.get(task, attempt);
      if (one === undefined || !registration.cancel || ended) return;
      line.cancel({ task, attempt: one.attempt });
      // Nothing is told of it any more.
      hands.letGo(one);
      rethink();
    },
    goodbye() {
      const isDone = draining && hands.size() === 0 && !isAsking();
      if (draining) takeBackUnseen(unsure, clock.now(), false);
      return isDone;
    },
  };
}

/** What did not arrive at a worker that beats goes to another one. Answers whether there was any. */
function takeBackUnseen(
  { account, hands, line, operations }: TakingBackParts,
  sentBy: number,
  hearsCancels: boolean,
): boolean {
  if (!isUnsure(account)) return false;
  const unseen = hands.unseen(account.seen, sentBy);
  for (const one of unseen) {
    noteSeen(account, one.seq);
    hands.letGo(one);
    operations.givingBack.give(one.open, "not_held");
    if (hearsCancels) line.cancel({ task: one.task, attempt: one.attempt });
  }
  return unseen.length > 0;
}

type TakingBackParts = Pick<GivingParts, "account" | "hands" | "operations"> & { readonly line: WorkLine };
