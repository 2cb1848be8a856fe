// What the server says on `/work`, and what comes of it.

import type { ServerMessage } from "../../../protocol/work/frames.ts";
import { wordsOf } from "../../failure.ts";
import { type ObedienceParts, obey } from "../obedience.ts";
import type { WorkerLog } from "../options.ts";
import type { Announcement, Verdict } from "./announcement.ts";
import type { HeldTask } from "./held-task.ts";
import type { InHand } from "./in-hand.ts";
import type { Outbox } from "./outbox.ts";
import { type RegistrationWords, registrationText } from "./registration-text.ts";
import type { StandIn } from "./stand-in.ts";
import type { Talk } from "./talk.ts";

export interface HearingParts {
  readonly log: WorkerLog;
  readonly about: Pick<RegistrationWords, "words" | "concurrency" | "prefetch">;
  readonly announced: Announcement;
  readonly held: InHand;
  readonly outbox: Outbox;
  readonly talk: Talk;
  readonly standIn: StandIn;
  readonly onCommand: ObedienceParts["onCommand"];
  onReady(worker: string): void;
  /** The server takes it for gone when it has been silent for so long, and it does the same with the server. */
  onWindow(lostAfterMs: number): void;
  /** Something that the server sent has not come. */
  onGap(): void;
  /** The server asks it to end. */
  onDrain(): void;
}

export interface Hearing {
  /** The first word on a connection, which is had with this token. */
  registration(token: string): string;
  onMessage(message: ServerMessage): void;
  stop(): void;
}

/** A result that the server could not write is told again. */
const againMs = 500;

export function hearing({ log, announced, held, outbox, talk, standIn, ...parts }: HearingParts): Hearing {
  let [worker, resumeToken, token] = ["", "", ""];
  let gapMs = 0;
  const untold = new Set<HeldTask>();
  let telling: NodeJS.Timeout | undefined;

  /** What it may run side by side is said again where it is more: what it began is not to be taken for untouched. */
  let most = parts.about.concurrency;
  const obedience: ObedienceParts = {
    ...{ log, onCommand: parts.onCommand, handBack: () => held.handBack(false) },
    setConcurrency(value) {
      held.setConcurrency(value);
      if (value === null || value <= most) return;
      most = value;
      talk.register(words(null));
    },
    letGo: (jobId, attempt) => held.lose([{ jobId, attempt }]),
  };

  function words(resume: RegistrationWords["resume"]): string {
    return registrationText({ ...parts.about, concurrency: most, specs: [...announced.specs()], resume });
  }

  function welcomed(message: ServerMessage<"welcome">): void {
    const isKnown = message.resumed && message.workerId === worker;
    held.lose(isKnown ? message.lost : "all");
    [worker, resumeToken] = [message.workerId, message.token];
    gapMs = message.heartbeatMaxGapMs;
    parts.onWindow(message.lostAfterMs);
    if (held.count() > 0) standIn.need(worker, token, gapMs);
    outbox.again(held.held());
    talk.welcomed(message.heartbeatMaxGapMs);
    judged(message.specs);
    if (!isKnown) parts.onReady(worker);
  }

  function judged(verdicts: readonly Verdict[]): void {
    const { announce, create } = announced.heard(verdicts);
    const again = (): void => talk.register(words(null));
    if (announce) again();
    if (create.length === 0) return;
    announced.create(create).then(again, (error) => log.warn("a job was not registered", { why: wordsOf(error) }));
  }

  function tellLater(again: HeldTask): void {
    untold.add(again);
    telling ??= setTimeout(() => {
      telling = undefined;
      for (const each of untold) outbox.result(each);
      untold.clear();
    }, againMs);
  }

  const on: { readonly [T in ServerMessage["type"]]?: (message: ServerMessage<T>) => void } = {
    welcome: welcomed,
    assignment({ seq, job }) {
      if (!talk.seen(seq)) {
        parts.onGap();
        return;
      }
      standIn.need(worker, token, gapMs);
      held.take(job);
    },
    resultAck(ack) {
      const again = held.acked(ack);
      if (again !== null) tellLater(again);
    },
    beat: ({ nonce }) => talk.heard(nonce),
    cancel: ({ jobId, attempt }) => held.cancel(jobId, attempt),
    specs: ({ specs }) => judged(specs),
    command({ jobId, command, type: _, ...said }) {
      const told = { ...said, type: command, ...(jobId !== undefined && { task_id: jobId }) };
      talk.acknowledge(JSON.stringify(obey(told, obedience)));
    },
    drain() {
      log.info("the server asks this worker to end");
      parts.onDrain();
    },
    error: ({ problem }) => log.warn("the server reports a problem", { why: problem.detail ?? problem.title }),
  };

  return {
    registration(used) {
      token = used;
      const jobs = [...held.held()].map(({ job: { id: jobId, attempt } }) => ({ jobId, attempt }));
      return words(worker === "" ? null : { workerId: worker, token: resumeToken, jobs });
    },
    // A newer server may have more to say than this worker understands.
    onMessage(message) {
      if (Object.hasOwn(on, message.type)) (on[message.type] as (message: ServerMessage) => void)(message);
    },
    stop: () => clearTimeout(telling),
  };
}
