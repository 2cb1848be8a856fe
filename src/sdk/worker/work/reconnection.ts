// A worker's connection to `/work`: there, or coming back.

import type { ServerMessage } from "../../../protocol/work/frames.ts";
import type { Credentials } from "../../credentials.ts";
import { type ProblemDocument, ServerProblem } from "../../problem.ts";
import type { SteadyApi } from "../../steady-api.ts";
import { chance } from "../../system.ts";
import type { WorkerLog } from "../options.ts";
import { unauthorized } from "../presence.ts";
import { type Connection, type ConnectionEnd, connect } from "./connection.ts";
import { nextStep } from "./next-step.ts";
import { closeCodes } from "./words.ts";

export interface ReconnectionParts {
  readonly url: string;
  readonly credentials: Credentials;
  readonly api: SteadyApi;
  readonly log: WorkerLog;
  /** Whoever has some comes back sooner. */
  hasTasks(): boolean;
  onOpen(connection: Connection, token: string): void;
  onMessage(message: ServerMessage): void;
  onFrame(): void;
  /** The connection is gone, for a while. */
  onCut(): void;
  /** WebSockets do not come through, but REST does; null where nothing else is to be tried. */
  readonly onNoWay: (() => void) | null;
  giveUp(error: unknown): void;
}

export interface Reconnection {
  open(): Promise<void>;
  /** Resolves when nothing is under way between the server and this worker. */
  settled(): Promise<void>;
  /** Of the server, before it is taken for gone. */
  expectWithin(ms: number): void;
  /** This connection is no good; the next may be better. */
  anew(why: string): void;
  /** Says goodbye; resolves when there is no connection. */
  close(): Promise<void>;
}

export function reconnection(parts: ReconnectionParts): Reconnection {
  const { url, credentials, log, giveUp, onFrame } = parts;
  const steps = nextStep(chance);
  let connection: Connection | null = null;
  let [isWelcome, isOver, isAway] = [false, false, false];
  let coming: NodeJS.Timeout | undefined;
  let onClosed = (): void => {};
  let said: ProblemDocument | null = null;

  async function open(): Promise<void> {
    try {
      const token = await credentials.get();
      if (isOver) return;
      said = null;
      const opened = connect({ url, token, onMessage, onFrame, onEnd, onOpen: () => parts.onOpen(opened, token) });
      connection = opened;
    } catch (error) {
      giveUp(error);
    }
  }

  function onMessage(message: ServerMessage): void {
    if (message.type === "welcome") {
      if (isAway) log.info("the worker is connected again");
      [isWelcome, isAway] = [true, false];
      steps.welcomed();
    }
    if (message.type === "error") said = message.problem as ProblemDocument;
    parts.onMessage(message);
  }

  /** In the server's own words, where it said some. */
  function leaveFor(error: unknown): void {
    giveUp(error instanceof ServerProblem && said !== null ? new ServerProblem(said) : error);
  }

  function onEnd(end: ConnectionEnd): void {
    connection = null;
    isWelcome = false;
    onClosed();
    if (!isOver) next(end);
    parts.onCut();
  }

  function next(end: ConnectionEnd): void {
    // Once is enough, until it is back.
    if (!isAway) log.warn("the worker is not connected; trying on", { why: wordsOfEnd(end) });
    isAway = true;
    const step = steps.after(end, parts.hasTasks());
    if (step.type === "give up") leaveFor(step.error);
    else if (step.type === "renew") renew().catch(giveUp);
    else if (step.type === "without") without(step.afterMs).catch(giveUp);
    else openIn(step.afterMs);
  }

  function openIn(ms: number): void {
    if (!isOver) coming = setTimeout(() => void open(), ms);
  }

  async function renew(): Promise<void> {
    if (await credentials.renewed()) openIn(0);
    else leaveFor(unauthorized());
  }

  async function without(afterMs: number): Promise<void> {
    const answers = await isAnswered(parts.api);
    if (isOver) return;
    if (answers && parts.onNoWay !== null) parts.onNoWay();
    else openIn(afterMs);
  }

  return {
    open,
    settled: async () => connection?.settled(),
    expectWithin: (ms) => connection?.expectWithin(ms),
    anew: (why) => connection?.cut(why),
    async close() {
      isOver = true;
      clearTimeout(coming);
      if (connection === null) return;
      const closed = new Promise<void>((resolve) => {
        onClosed = resolve;
      });
      if (isWelcome) connection.close(closeCodes.done);
      else connection.cut("the worker ends");
      await closed;
    },
  };
}

/** Whether the server answers requests; throws where it refuses the token. */
async function isAnswered(api: SteadyApi): Promise<boolean> {
  try {
    await api.request("GET", "/me", { tries: 1 });
    return true;
  } catch (error) {
    if (error instanceof ServerProblem && error.status === 401) throw error;
    return false;
  }
}

function wordsOfEnd(end: ConnectionEnd): string {
  if (end.type === "refused") return `the upgrade was answered with ${end.status}`;
  return end.type === "failed" ? end.why : `it was closed with ${end.code}${end.reason === "" ? "" : ` ${end.reason}`}`;
}
