// One connection: what it asks for is checked, done in the order it came, and answered where an answer is wanted.

import type { Socket } from "socket.io";
import type { Principal } from "../../core/access.ts";
import { Problem } from "../../core/problem.ts";
import type { ListenDesk } from "../../engine/desks/listen-desk.ts";
import {
  type ClientEvent,
  type ClientEventData,
  clientEvents,
  type EventAnswer,
} from "../../protocol/socketio/events.ts";
import { partCheck } from "../rest/request-check.ts";
import { feedRoom, isFeed, noteFeed } from "./feeds.ts";
import { followRoom, isFollow } from "./follows.ts";

export interface VisitorParts {
  readonly desk: ListenDesk;
  /** Who it is, as of now: throws where the token has lapsed, or asks for too much. */
  admit(): Promise<Principal>;
  /** A refusal, or whatever else was thrown, as a problem. */
  problemOf(error: unknown): Problem;
}

/** More than any worker has jobs, or any viewer eyes. */
const roomsMax = 1_000;
/** Each is looked at in the database. */
const followsMax = 100;
/** Events of one connection that wait for their turn. */
const waitingMax = 1_000;

const checks = Object.fromEntries(
  Object.entries(clientEvents).map(([event, schema]) => [event, partCheck(schema, "")]),
) as unknown as Readonly<Record<ClientEvent, (value: unknown, size: number) => void>>;

type Doings = { readonly [E in ClientEvent]: (who: Principal, data: ClientEventData<E>) => void | Promise<void> };

export function visitor(socket: Socket, { desk, admit, problemOf }: VisitorParts): void {
  let turn: Promise<void> = Promise.resolve();
  let waiting = 0;

  function join(...rooms: string[]): void {
    // A connection that ended meanwhile would never leave again.
    if (!socket.connected) return;
    const added = rooms.filter((room) => !socket.rooms.has(room)).length;
    if (socket.rooms.size + added > roomsMax) {
      throw tooMany(`A connection may be in ${roomsMax} rooms`);
    }
    socket.join(rooms);
  }

  function leaveFeed(): void {
    for (const room of socket.rooms) if (isFeed(room)) socket.leave(room);
    noteFeed(socket, null);
  }

  const doings: Doings = {
    async join_job_room(who, { job_name, worker_id }) {
      const worker = worker_id.toLowerCase();
      await desk.job(who, job_name, worker);
      join(`jobs:${job_name}`, `worker:${worker}`);
    },
    leave_job_room: (_, { job_name }) => void socket.leave(`jobs:${job_name}`),
    async join_provider_room(who, { provider_name, worker_id }) {
      const worker = worker_id.toLowerCase();
      await desk.provider(who, provider_name, worker);
      // Of this worker alone: once the provider is another's, what is asked of it is not for this one to hear.
      join(`providers:${worker}:${provider_name}`, `worker:${worker}`);
    },
    leave_provider_room: (_, { provider_name, worker_id }) =>
      void socket.leave(`providers:${worker_id.toLowerCase()}:${provider_name}`),
    room_join(who, { room_id }) {
      desk.room(who, room_id);
      join(`room:${room_id}`);
    },
    room_leave: (_, { room_id }) => void socket.leave(`room:${room_id}`),
    feed_join(who) {
      // The limits of a user's token may have changed since.
      leaveFeed();
      join(feedRoom(who));
      noteFeed(socket, who);
    },
    feed_leave: leaveFeed,
    async task_follow(who, { task_id }) {
      const task = task_id.toLowerCase();
      await desk.task(who, task);
      const followed = [...socket.rooms].filter(isFollow);
      if (followed.length >= followsMax && !followed.includes(followRoom(task))) {
        throw tooMany(`A connection may follow ${followsMax} tasks`);
      }
      join(followRoom(task));
    },
    task_unfollow: (_, { task_id }) => void socket.leave(followRoom(task_id.toLowerCase())),
  };

  async function take(event: string, data: unknown): Promise<EventAnswer> {
    try {
      const who = await admit();
      if (!Object.hasOwn(doings, event)) throw new Problem("not-found", `There is no event '${event.slice(0, 200)}'`);
      checks[event as ClientEvent](data, 0);
      await doings[event as ClientEvent](who, data as never);
      return { ok: true };
    } catch (error) {
      return { ok: false, problem: problemOf(error).toBody() as never };
    }
  }

  // The library takes numbers for names too.
  socket.onAny((name: unknown, ...args: unknown[]) => {
    const event = String(name);
    const last = args.at(-1);
    const answer = typeof last === "function" ? (last as (answer: EventAnswer) => void) : () => undefined;
    const data = typeof args[0] === "function" ? undefined : args[0];
    if (waiting >= waitingMax) {
      const many = new Problem("rate-limited", "Too many events of this connection wait for their turn");
      return answer({ ok: false, problem: many.toBody() as never });
    }
    waiting += 1;
    turn = turn.then(async () => {
      answer(await take(event, data));
      waiting -= 1;
    });
  });
}

function tooMany(detail: string): Problem {
  return new Problem("rate-limited", detail, { retryAfterSeconds: 1 });
}

/** The workers that a connection has joined with. */
export function workersOf({ rooms }: Pick<Socket, "rooms">): string[] {
  return [...rooms].flatMap((room) => (room.startsWith("worker:") ? [room.slice("worker:".length)] : []));
}
