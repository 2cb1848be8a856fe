// How patient a consumer is: the settings of the server that are about consumers, read where the consumer runs.

import { documentPatience, type Tries } from "../../core/patience.ts";
import { variable } from "../environment.ts";

export interface Patience {
  /** For tasks in hand at the end; null where nobody said. */
  readonly graceMs: number | null;
  /** How often the lease of a task in hand is prolonged; null where nobody said. */
  readonly leaseBeatMs: number | null;
  /** Of what failed only for a moment. */
  readonly transient: Tries;
  /** Of handing a message on. */
  readonly publish: Tries;
  readonly outOfMemory: Tries;
  /** How often an operation is delivered whose consumers end before it does. */
  readonly redeliveryMax: number;
  /** The longest delay of a task that asked to be tried later. */
  readonly retryLaterCapMs: number;
  /** The longest pause between two looks for a broker that is away. */
  readonly reconnectMs: number;
}

/** A variable that says something else than it may is an error: nobody would notice that it is not heeded. */
export function patience(read: (name: string) => string | null = variable): Patience {
  const { transient, publish, outOfMemory, redeliveryMax, retryLaterCapMs, reconnectMs } = documentPatience;
  const count = (name: string, usual: number): number => number(read, name, countRule) ?? usual;
  const time = (name: string, usual: number): number => number(read, name, timeRule) ?? usual;
  const grace = number(read, "LEADHAND_WORKER_SHUTDOWN_GRACE_SECONDS", graceRule);
  return {
    graceMs: grace,
    leaseBeatMs: number(read, "LEADHAND_JOB_HEARTBEAT_INTERVAL_SECONDS", beatRule),
    transient: {
      attempts: count("LEADHAND_TRANSIENT_RETRY_ATTEMPTS", transient.attempts),
      baseMs: time("LEADHAND_TRANSIENT_RETRY_BASE_SECONDS", transient.baseMs),
      capMs: time("LEADHAND_TRANSIENT_RETRY_CAP_SECONDS", transient.capMs),
    },
    publish: {
      attempts: count("LEADHAND_PUBLISHER_ATTEMPTS", publish.attempts),
      baseMs: publish.baseMs,
      capMs: time("LEADHAND_PUBLISHER_CAP_SECONDS", publish.capMs),
    },
    outOfMemory: {
      attempts: count("LEADHAND_OOM_RETRY_ATTEMPTS", outOfMemory.attempts),
      baseMs: time("LEADHAND_OOM_RETRY_BASE_SECONDS", outOfMemory.baseMs),
      capMs: time("LEADHAND_OOM_RETRY_CAP_SECONDS", outOfMemory.capMs),
    },
    redeliveryMax: count("LEADHAND_REDELIVERY_MAX", redeliveryMax),
    retryLaterCapMs: time("LEADHAND_RETRY_LATER_CAP_SECONDS", retryLaterCapMs),
    reconnectMs: time("LEADHAND_CONSUMER_RECONNECT_SECONDS", reconnectMs),
  };
}

interface Rule {
  readonly form: RegExp;
  readonly times: number;
  readonly min: number;
  readonly max: number;
  readonly words: string;
}

const countRule: Rule = { form: /^\d+$/, times: 1, min: 1, max: 100, words: "a whole number from 1 to 100" };
const seconds = { form: /^\d+(\.\d+)?$/, times: 1_000, max: 36_525 * 24 * 3_600_000 };
const timeRule: Rule = { ...seconds, min: 1, words: "a number of seconds, at least 0.001" };
const beatRule: Rule = { ...seconds, min: 1_000, words: "a number of seconds, at least 1" };
const graceRule: Rule = { ...seconds, min: 0, words: "a number of seconds, at least 0" };

function number(read: (name: string) => string | null, name: string, rule: Rule): number | null {
  const text = read(name)?.trim() ?? "";
  if (text === "") return null;
  const value = Math.round(Number(text) * rule.times);
  if (rule.form.test(text) && value >= rule.min && value <= rule.max) return value;
  throw new RangeError(`${name}: ${JSON.stringify(text)} is not ${rule.words}`);
}
