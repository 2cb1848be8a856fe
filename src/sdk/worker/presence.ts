// A worker as the server knows it: registered, beating, and registered again when the server gave it up.

import type { Credentials } from "../credentials.ts";
import { heart } from "../heartbeat/heart.ts";
import type { FromThread, Lease, Ping } from "../heartbeat/words.ts";
import { ServerProblem } from "../problem.ts";
import { leaseKeeping } from "./lease-keeping.ts";
import type { ToldCommand } from "./obedience.ts";
import type { WorkerLog } from "./options.ts";
import type { AbortCause } from "./task-aborted.ts";

export interface Presence {
  /** Its id; empty before `enter`. */
  worker(): string;
  enter(): Promise<void>;
  /** This worker is not known to the server; resolves when there is another. */
  comeBack(gone: string): Promise<void>;
  /** For every request; the heartbeat uses the same token. */
  headers(): Promise<Readonly<Record<string, string>>>;
  /** Keeps the lease of a task that has one, until what is answered is called. */
  keep(lease: Lease, onLost: () => void): () => void;
  stop(): Promise<void>;
}

export interface PresenceParts {
  readonly url: string;
  readonly credentials: Credentials;
  readonly heartbeatMs: number;
  readonly ping: Ping;
  readonly socket: boolean;
  readonly jobs: readonly string[];
  readonly log: WorkerLog;
  /** Registers, and answers the id, and how often the server wants to hear of it where it says so. */
  register(): Promise<{ readonly id: string; readonly beatMs?: number }>;
  onReady(worker: string): void;
  /** This task, or all of them. */
  abort(task: string | null, why: AbortCause): void;
  /** What an operator says; some of it may have been said before. */
  onCommands(worker: string, commands: readonly ToldCommand[]): void;
  /** What cannot be mended by waiting. */
  giveUp(error: unknown): void;
}

/** A server that never keeps a worker for as long as it takes to register is not to be mended from here. */
const beginningsMax = 10;

export function presence(parts: PresenceParts): Presence {
  const { url, credentials, log, abort, giveUp } = parts;
  let worker = "";
  let token = "";
  let comingBack: Promise<void> | null = null;
  let missing = false;
  const beats = heart({
    ...{ url, everyMs: parts.heartbeatMs, socket: parts.socket, ping: parts.ping, onWord },
    onDeath: giveUp,
  });

  const leases = leaseKeeping(beats);

  function onWord(word: FromThread): void {
    if (word.type === "beaten") {
      // What an operator has taken away is among both, and only the command says so.
      if (word.worker === worker && word.commands.length > 0) parts.onCommands(worker, word.commands);
      for (const task of word.cancel) abort(task, "cancelled");
    } else if (word.type === "cancel") abort(word.task, "cancelled");
    else if (word.type === "lost") leases.lost(word);
    else if (word.type === "gone") comeBack(word.worker).catch(giveUp);
    else if (word.type === "unauthorized") renew().catch(giveUp);
    // Once is enough; the next that is heard ends it.
    else if (!missing) log.warn("a heartbeat was missed; trying on", { why: word.why });
    if (word.type === "lost") return;
    missing = word.type === "missed" || (missing && word.type !== "beaten");
  }

  async function headers(): Promise<Readonly<Record<string, string>>> {
    const fresh = await credentials.get();
    if (fresh !== token && token !== "") beats.renew(bearer(fresh));
    token = fresh;
    return bearer(fresh);
  }

  /** The heartbeat's token was refused. */
  async function renew(): Promise<void> {
    if (await credentials.renewed()) await headers();
    else giveUp(unauthorized());
  }

  /** One that takes long to register, because the server is away in between, may have been given up before it could beat. */
  async function registered(): ReturnType<PresenceParts["register"]> {
    for (let left = beginningsMax; ; left -= 1) {
      try {
        return await parts.register();
      } catch (error) {
        if (left <= 1 || !(error instanceof ServerProblem && error.code === "worker-not-found")) throw error;
        log.warn("the server gave this worker up before it was registered; registering again");
      }
    }
  }

  async function enter(): Promise<void> {
    const { id, beatMs } = await registered();
    worker = id;
    beats.start(worker, parts.jobs, bearer(token), beatMs);
    parts.onReady(worker);
  }

  /** The server gave the worker up, and what it held; it begins anew under another id. */
  function comeBack(gone: string): Promise<void> {
    if (gone !== worker) return comingBack ?? Promise.resolve();
    comingBack ??= (async () => {
      log.warn("the server does not know this worker any more; registering again", { worker: gone });
      abort(null, "lost");
      await enter();
    })().finally(() => {
      comingBack = null;
    });
    return comingBack;
  }

  return { worker: () => worker, enter, comeBack, headers, keep: leases.keep, stop: beats.stop };
}

export function bearer(token: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${token}` };
}

export function unauthorized(): ServerProblem {
  const detail = "The token was refused, and there is no other";
  return new ServerProblem({ type: "unauthorized", title: "Unauthorized", status: 401, detail });
}
