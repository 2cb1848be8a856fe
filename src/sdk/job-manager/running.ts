// The parts of a manager at work: the beats, the loop that claims, the rooms it listens in; and their end.

import type { Socket } from "socket.io-client";
import { type Claiming, claiming } from "./claiming.ts";
import { contact } from "./contact.ts";
import { timedHeart } from "./heart.ts";
import { held } from "./held.ts";
import { type ApiManager, type Ask, asking, hasStatus, isForbidden } from "./host-api.ts";
import { consoleLog, type Life, life, type ManagerLog } from "./life.ts";
import { type JobManagerOptions, timesOf } from "./options.ts";
import { isSocket, type OwnSocketOptions, ownSocket } from "./own-socket.ts";
import { provide } from "./providing.ts";
import { type Registry, registry } from "./registry.ts";
import { type Rooms, rooms } from "./rooms.ts";
import { serve } from "./serving.ts";
import { type Settling, settling } from "./settling.ts";
import { pause, wakeUp } from "./wake-up.ts";

export interface Running {
  readonly ask: Ask;
  readonly life: Life;
  readonly log: ManagerLog;
  readonly registry: Registry;
  readonly settling: Settling;
  readonly claiming: Claiming;
  readonly pollingMs: number;
  /** Starts what is not yet started. */
  begin(): void;
  beat(): Promise<void>;
  /** Waits for no task any longer. */
  hurry(): void;
  /** In the order of the documents. Never rejects. */
  end(): Promise<void>;
}

const goodbyeMs = 5_000;

export function running(
  api: ApiManager,
  socket: Socket | OwnSocketOptions | null | undefined,
  options: JobManagerOptions,
): Running {
  const { execute, log = consoleLog } = options;
  const { heartbeatMs, pollingMs, joinMs, unreachableMs, startDelaysMs } = timesOf(options);
  const living = life(log);
  const ready = wakeUp();
  const impatience = new AbortController();
  const underWay = new Set<Promise<void>>();
  let hasBegun = false;

  const reach = contact(unreachableMs, (error) => hasBegun && living.fail(error));
  const ask = asking(api, reach);
  const tasks = held();
  const joined = rooms({
    taskAvailable: ready.set,
    taskCancelled: tasks.cancel,
    providerRequested: (request) => track(provide({ ask, life: living, registry: registered, log }, request)),
    connected() {
      ready.set();
      // The server may have given the worker up while the line was cut.
      heart.now();
    },
    // Where the socket alone is cut, a beat keeps the worker and what it holds.
    disconnected: () => heart.now(),
  });
  const lost = (id: string) => {
    log.warn(`Worker ${id} was given up by the server; registering again`);
    tasks.loseAll(`Worker ${id} was given up by the server`, id);
  };
  const registered = registry({ ask, life: living, rooms: joined, startDelaysMs, lost });
  const settles = settling({ ask, life: living, held: tasks, log });
  const claims = claiming({ ask, life: living, held: tasks, registry: registered, settling: settles, log, ready });
  const heart = timedHeart({ intervalMs: heartbeatMs, beat });

  living.stopping.addEventListener("abort", ready.set);
  living.over.addEventListener("abort", () => tasks.loseAll("The manager has ended"));
  if (socket && isSocket(socket)) joined.attach(socket, false);
  else if (socket) void attachOwn(joined, ownSocket(api, socket), living, log);

  function track(work: Promise<void>): void {
    const noted = work.catch(living.fail).finally(() => underWay.delete(noted));
    underWay.add(noted);
  }

  async function beat(): Promise<void> {
    const { workerId } = registered;
    if (workerId === null) return;
    try {
      const { body } = await ask<{ readonly cancel?: readonly string[] }>("PATCH", `/workers/${workerId}`);
      for (const taskId of body.cancel ?? []) tasks.cancel(taskId);
    } catch (error) {
      if (isForbidden(error)) return living.fail(error);
      if (!hasStatus(error, 404)) throw error;
      await registered.revive(workerId);
    }
  }

  return {
    ...{ ask, life: living, log, pollingMs, beat },
    ...{ registry: registered, settling: settles, claiming: claims },
    begin() {
      if (hasBegun || living.stopping.aborted) return;
      hasBegun = true;
      heart.start();
      if (execute !== undefined) track(serve(execute, pollingMs, { claiming: claims, settling: settles }));
    },
    hurry: () => impatience.abort(),
    async end() {
      living.stop();
      // A worker that is just being registered would be left behind.
      await quiet([...underWay, registered.settled()], joinMs, impatience.signal);
      living.end();
      heart.stop();
      joined.leaveAll();
      await goodbye(ask, registered.workerId, log);
      joined.close();
      reach.stop();
      registered.clear();
    },
  };
}

async function attachOwn(rooms: Rooms, opened: Promise<Socket>, { stopping }: Life, log: ManagerLog): Promise<void> {
  try {
    const own = await opened;
    if (stopping.aborted) own.disconnect();
    else rooms.attach(own, true);
  } catch (error) {
    log.error("There is no Socket.IO; tasks are found by looking for them", error);
  }
}

/** Resolves when nothing is under way any more, at the latest after the limit, and at once for the impatient. */
async function quiet(underWay: Iterable<Promise<void>>, limitMs: number, impatience: AbortSignal): Promise<void> {
  const done = new AbortController();
  void Promise.allSettled(underWay).then(() => done.abort());
  await pause(limitMs, AbortSignal.any([done.signal, impatience]));
}

async function goodbye(ask: Ask, workerId: string | null, log: ManagerLog): Promise<void> {
  if (workerId === null) return;
  try {
    await ask("DELETE", `/workers/${workerId}`, { timeoutMs: goodbyeMs });
  } catch (error) {
    // The server finds out by itself, when the beats are missing.
    log.warn(`Worker ${workerId} could not say goodbye`, error);
  }
}
