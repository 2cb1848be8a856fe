// Why a task is not running of which consumers hear by a message broker: whether it was told of, and who could hear it.

import { timeText } from "./time-text.ts";

export const brokerCauses = ["broker-away", "broker-full", "message-lost", "no-consumer"] as const;
export type BrokerCause = (typeof brokerCauses)[number] | "broker-queue";

export interface MessageFacts {
  /** Whether the broker has confirmed a message for the task as it is now. */
  readonly told: boolean;
  /** Since when this server cannot reach the broker; null while it can. */
  readonly awaySince: number | null;
  /** Messages in the queue, and who consumes it; null where the broker has not said in time. */
  readonly waiting: number | null;
  readonly consumers: number | null;
  /** Workers that are there to consume it. One that is busy, paused or rests consumes nothing meanwhile. */
  readonly registered: number;
  /** How many may wait in it. */
  readonly waitingMax: number;
  /** How often it was told of again because nobody took it, and how often that is done. */
  readonly republished: number;
  readonly republishMax: number;
}

interface Said {
  readonly cause: BrokerCause;
  readonly sentence: string;
}

/** What keeps it from everybody who consumes the queue. */
export function byBroker(queue: string, message: MessageFacts): Said | null {
  const { told, awaySince, waiting, consumers, registered, waitingMax, republished, republishMax } = message;
  if (awaySince !== null) {
    const which = told ? "its message is there" : "nobody was told of it";
    const sentence = `The message broker cannot be reached since ${timeText(awaySince)}; ${which}`;
    return { cause: "broker-away", sentence };
  }
  if (!told && waiting !== null && waiting >= waitingMax) {
    const sentence = `Queue '${queue}' holds ${waiting} messages, and no more than ${waitingMax} may wait; it is told of later`;
    return { cause: "broker-full", sentence };
  }
  if (told && waiting === 0 && republished >= republishMax) {
    const sentence = `Its message was lost, or taken by nobody, however often it was put into queue '${queue}'; it is told of once an hour`;
    return { cause: "message-lost", sentence };
  }
  if (consumers !== 0 || registered > 0) return null;
  return { cause: "no-consumer", sentence: `Nobody consumes queue '${queue}' of the broker; ${waitingText(waiting)}` };
}

/** Where nothing keeps it. */
export function inBroker(queue: string, { told, waiting, consumers, registered }: MessageFacts): Said | null {
  if (!told) return null;
  const who = consumers === null ? "" : ` with ${consumers === 0 ? restingText(registered) : countText(consumers)}`;
  const sentence =
    waiting === 0
      ? `A consumer of queue '${queue}' has its message, or it is lost and told again later`
      : `Its message is in queue '${queue}' of the broker${who}; ${waitingText(waiting)}`;
  return { cause: "broker-queue", sentence };
}

function restingText(registered: number): string {
  return `${countText(registered)} that ${registered === 1 ? "takes" : "take"} nothing at the moment`;
}

function countText(consumers: number): string {
  return consumers === 1 ? "1 consumer" : `${consumers} consumers`;
}

function waitingText(waiting: number | null): string {
  if (waiting === null) return "how many messages wait there is not known";
  return waiting === 1 ? "1 message waits in it" : `${waiting} messages wait in it`;
}
