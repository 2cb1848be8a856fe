// The /work door: workers connect, say what they can do, and are handed their tasks. It lets in who has a good token and
// may work, carries frames, and holds no rules: those are the desk's.

import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { type Principal, requireWrite } from "../../core/access.ts";
import { Problem } from "../../core/problem.ts";
import type { WorkDesk } from "../../engine/desks/work-desk.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { bearerSubprotocol, workSubprotocol } from "../../protocol/work/frames.ts";
import { type Connection, connection } from "./connection.ts";
import { errorText } from "./messages.ts";
import { ticker } from "./ticker.ts";
import { tokenWatch } from "./token-watch.ts";
import { turn } from "./turn.ts";
import { closeCodeOf, WorkSocket } from "./work-socket.ts";

export interface WorkDoorOptions {
  readonly desk: WorkDesk;
  readonly clock: Clock;
  readonly log: Log;
  /** Of one frame. */
  readonly messageBytesMax: number;
  readonly jsonDepthMax: number;
  readonly connectionsMax: number;
  readonly bufferedBytesMax: number;
  readonly beatMs: number;
  readonly lostMs: number;
  /** The server's. */
  readonly version: string;
  readonly metrics: WorkMetrics;
  /** Who shows this header. */
  authenticate(authorization: string | undefined): Promise<Principal | Problem>;
  /** Counts a request; a problem where it is one too many. */
  count(who: Principal): Problem | null;
  /** Answers what is no handshake, as HTTP. */
  refuse(socket: Duplex, problem: Problem): void;
}

export interface WorkMetrics {
  opened(): void;
  closed(code: number | "slow"): void;
  received(frames: number): void;
  sent(frames: number): void;
}

export interface WorkDoor {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  connections(): number;
  /** Closes all connections in good order; their workers look for another server. */
  stop(): Promise<void>;
}

/** A worker that does not answer a close is not waited for any longer. */
const closeTimeout = 1_000;
/** Connections above the limit that are being told so. */
const turnedAwayMax = 1_000;

export function workDoor(options: WorkDoorOptions): WorkDoor {
  const { clock, log, metrics } = options;
  const open = new Map<Connection, string | undefined>();
  const closed = closings();
  const welcome = { heartbeatMaxGapMs: options.beatMs, lostAfterMs: options.lostMs, server: options.version };
  const shared = { ...options, welcome, soon: turn() };
  const tokens = tokenWatch({ ...options, open });
  const ticks = ticker<Connection>(clock, options.beatMs, (each) => {
    tokens.look();
    each.tick();
  });
  let turnedAway = 0;
  let stopping: Promise<void> | null = null;
  const front = new WebSocketServer({
    ...{ noServer: true, clientTracking: false, perMessageDeflate: false, maxPayload: options.messageBytesMax },
    ...{ WebSocket: WorkSocket, closeTimeout },
    handleProtocols: (offered) => (offered.has(workSubprotocol) ? workSubprotocol : false),
  });
  front.on("wsClientError", ({ message }, socket) => options.refuse(socket, new Problem("upgrade-required", message)));

  function welcomeIn(ws: WebSocket, socket: Duplex, authorization: string | undefined): void {
    metrics.opened();
    const one = connection(ws, socket, shared, {
      admit: () => admit(authorization, options),
      over(code) {
        open.delete(one);
        ticks.delete(one);
        metrics.closed(code);
      },
      quiet: closed.begin(),
    });
    open.set(one, authorization);
    ticks.add(one);
  }

  function turnAway(ws: WebSocket, problem: Problem): void {
    turnedAway += 1;
    metrics.opened();
    const isClosed = closed.begin();
    ws.on("error", (error) => log.debug("A connection that was turned away had a fault", { error }));
    ws.on("close", () => {
      turnedAway -= 1;
      metrics.closed(closeCodeOf(problem));
      isClosed();
    });
    ws.send(errorText(problem));
    metrics.sent(1);
    ws.close(closeCodeOf(problem), problem.code);
  }

  function noRoom(): Problem | null {
    if (stopping !== null) return new Problem("stopping", "The server is stopping");
    if (open.size < options.connectionsMax) return null;
    return new Problem("too-many-connections", `This server takes ${options.connectionsMax} connections of workers`);
  }

  async function quiet(): Promise<void> {
    ticks.stop();
    tokens.stop();
    await Promise.all([...open.keys()].map((each) => each.stop()));
    await closed.all();
  }

  return {
    upgrade(request, socket, head) {
      const full = noRoom();
      if (full !== null && turnedAway >= turnedAwayMax) {
        socket.destroy();
        return;
      }
      front.handleUpgrade(request, socket, head, (ws) => {
        if (full === null) welcomeIn(ws, socket, authorizationOf(request));
        else turnAway(ws, full);
      });
    },
    connections: () => open.size,
    stop() {
      stopping ??= quiet();
      return stopping;
    },
  };
}

async function admit(
  authorization: string | undefined,
  { authenticate, count }: Pick<WorkDoorOptions, "authenticate" | "count">,
): Promise<Principal> {
  const who = await authenticate(authorization);
  if (who instanceof Problem) throw who;
  requireWrite(who);
  const many = count(who);
  if (many !== null) throw many;
  return who;
}

/** The header, or a token among the subprotocols: browsers can set nothing else. */
function authorizationOf({ headers }: IncomingMessage): string | undefined {
  if (headers.authorization !== undefined) return headers.authorization;
  const offered = headers["sec-websocket-protocol"]?.split(",").map((name) => name.trim());
  const bearer = offered?.find((name) => name.startsWith(bearerSubprotocol));
  return bearer === undefined ? undefined : `Bearer ${bearer.slice(bearerSubprotocol.length)}`;
}

/** Connections that are not closed yet. */
function closings(): { begin(): () => void; all(): Promise<void> } {
  let count = 0;
  let tell: (() => void) | null = null;
  return {
    begin() {
      count += 1;
      return () => {
        count -= 1;
        if (count === 0) tell?.();
      };
    },
    all: () =>
      new Promise((resolve) => {
        tell = resolve;
        if (count === 0) resolve();
      }),
  };
}
