// The Socket.IO door: wake-ups for workers, live state for viewers. It lets in who has a good token, puts connections
// into rooms, and passes on what is said there. It knows no rules: who may listen is the desk's to say, and what is
// said comes over the bus.

import { createServer, type Server as HttpServer, type IncomingMessage } from "node:http";
import { type Namespace, Server, type Socket } from "socket.io";
import type { Principal } from "../../core/access.ts";
import { Problem } from "../../core/problem.ts";
import type { ListenDesk } from "../../engine/desks/listen-desk.ts";
import type { Bus } from "../../ports/bus.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { problemOf } from "../rest/problem-reply.ts";
import { readers } from "./readers.ts";
import { topics } from "./topics.ts";
import { visitor, workersOf } from "./visitor.ts";

export interface SocketDoorOptions {
  readonly desk: ListenDesk;
  readonly bus: Pick<Bus, "subscribe">;
  readonly clock: Clock;
  readonly log: Log;
  /** Of one message. */
  readonly messageBytesMax: number;
  /** Who shows this. */
  authenticate(shown: Shown | null): Promise<Principal | Problem>;
  /** The secret in the cookie of a session; a problem where a page of another site has sent it along. */
  sessionOf(handshake: IncomingMessage): string | Problem | null;
  /** Counts a request; a problem where it is one too many. */
  count(who: Principal): Problem | null;
}

/** What a connection shows who it is, for as long as it lasts. */
export interface Shown {
  readonly by: "token" | "session";
  readonly secret: string;
}

export interface SocketDoor {
  /** Takes requests and upgrades whose path is the door's, by its events `request` and `upgrade`. */
  readonly front: HttpServer;
  connections(): number;
  /** Closes all connections in good order; their clients look for another server. */
  stop(): Promise<void>;
}

export const socketPath = "/socket.io/";

/**
 * A worker whose event loop is blocked answers no ping, but its heartbeats may come from a thread of their own, every
 * 30 s. Together with the grace these are longer than that, so at least one beat falls into the silence.
 */
const pings = { pingInterval: 10_000, pingTimeout: 20_000 };

/** A reader that polls, and does not come for the last word by then, does without. */
const closeMs = 1_000;

/** How often the tokens of open connections are looked at again. */
const recheckMs = 2_000;

export function socketDoor(options: SocketDoorOptions): SocketDoor {
  const { desk, bus, clock } = options;
  // Never listens: what listens hands over what is for this door.
  const front = createServer();
  const io = new Server({
    ...{ ...pings, path: socketPath, serveClient: false, connectTimeout: 10_000, destroyUpgrade: false },
    maxHttpBufferSize: options.messageBytesMax,
  });
  const namespace = io.of("/");
  const reading = readers(namespace);
  topics(namespace, { bus, desk, readers: reading, clock });
  letIn(namespace, options);
  let closing: Promise<void> | null = null;
  let isStopping = false;

  namespace.on("connection", (socket) => {
    const heard = lastHeard(socket, clock);
    visitor(socket, { desk, admit: () => admit(socket, options), problemOf: (error) => problemOf(error, options.log) });
    socket.on("disconnecting", (reason) => {
      reading.leave(socket);
      // They have not lost their connections: this server takes them away.
      if (isStopping) return;
      const since = reason === "ping timeout" ? heard() : clock.now();
      for (const worker of workersOf(socket)) {
        if (namespace.adapter.rooms.get(`worker:${worker}`)?.size === 1) desk.gone(worker, since);
      }
    });
  });
  io.attach(front);
  io.engine.on("connection", (connection: { readonly transport: { closeTimeout?: number } }) => {
    connection.transport.closeTimeout = closeMs;
  });
  const silence = recheck(namespace, options);

  return {
    front,
    connections: () => io.engine.clientsCount,
    stop() {
      isStopping = true;
      silence();
      closing ??= io.close();
      return closing;
    },
  };
}

/** A token, handed to clients as the `auth` of their options, counts before any cookie. */
function shownBy(socket: Socket, { sessionOf }: SocketDoorOptions): Shown | null {
  const { token } = socket.handshake.auth as { readonly token?: unknown };
  if (typeof token === "string" && token !== "") return { by: "token", secret: token };
  const session = sessionOf(socket.request);
  if (session instanceof Problem) throw session;
  return session === null ? null : { by: "session", secret: session };
}

/** By connection. Looked at once: of a handshake that is over nobody knows any more where it came from. */
const shown = new WeakMap<Socket, Shown | null>();

function letIn(namespace: Namespace, options: SocketDoorOptions): void {
  async function meet(socket: Socket): Promise<void> {
    shown.set(socket, shownBy(socket, options));
    await admit(socket, options);
  }

  namespace.use((socket, next) => {
    meet(socket).then(
      () => next(),
      (error: unknown) => {
        const problem = problemOf(error, options.log);
        options.log.debug("A connection was turned away", { address: socket.handshake.address, code: problem.code });
        next(Object.assign(new Error(problem.message), { data: { problem: problem.toBody() } }));
      },
    );
  });
}

async function admit(socket: Socket, { authenticate, count }: SocketDoorOptions): Promise<Principal> {
  const who = await authenticate(shown.get(socket) ?? null);
  if (who instanceof Problem) {
    if (socket.connected && who.code === "unauthorized") socket.conn.close(true);
    throw who;
  }
  const many = count(who);
  if (many !== null) throw many;
  return who;
}

/** When something last came from the other side. */
function lastHeard(socket: Socket, clock: Clock): () => number {
  const { conn } = socket;
  let at = clock.now();
  const hear = (): void => {
    at = clock.now();
  };
  conn.on("packet", hear);
  // A connection may be left and joined again any number of times.
  socket.on("disconnect", () => void conn.off("packet", hear));
  return () => at;
}

/**
 * Whose token has lapsed is cut off. Not told to go: a client that was cut off connects again by itself, with a new
 * token if it has one, and is told why if it has not.
 */
function recheck(namespace: Namespace, { authenticate, clock, log }: SocketDoorOptions): () => void {
  let silence = clock.alarm(clock.now() + recheckMs, again);
  let stopped = false;

  function again(): void {
    look()
      .catch((error) => log.warn("Tokens of connections could not be looked at", { error }))
      .finally(() => {
        if (!stopped) silence = clock.alarm(clock.now() + recheckMs, again);
      });
  }

  async function look(): Promise<void> {
    const alike = Map.groupBy(namespace.sockets.values(), (socket) => {
      const { by, secret } = shown.get(socket) ?? { by: "", secret: "" };
      return `${by} ${secret}`;
    });
    for (const sockets of alike.values()) {
      const who = await authenticate(shown.get(sockets[0] as Socket) ?? null);
      if (who instanceof Problem && who.code === "unauthorized") for (const { conn } of sockets) conn.close(true);
    }
  }

  return () => {
    stopped = true;
    silence();
  };
}
