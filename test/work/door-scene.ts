// The /work door on a real port, in front of a desk that notes what it is asked and does what the test says.

import { after } from "node:test";
import { WebSocket } from "ws";
import type { Principal } from "../../src/core/access.ts";
import { Problem } from "../../src/core/problem.ts";
import type { Assignment, WorkBeat, WorkDesk, WorkLine, WorkRegistration } from "../../src/engine/desks/work-desk.ts";
import { readConfig } from "../../src/server/config.ts";
import { systemClock } from "../../src/server/system.ts";
import { serverTelemetry } from "../../src/server/telemetry.ts";
import { webServer } from "../../src/server/web-server.ts";
import { work } from "../../src/server/work.ts";
import { aCard, aRow, taskId, workerId } from "../../src/testing/builders.ts";
import { manualClock } from "../../src/testing/manual-clock.ts";
import { recordedLog } from "../../src/testing/recorded-log.ts";
import { until } from "../../src/testing/until.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape.
export type Message = any;

/** What the desk knows of one connection. */
export interface Seat {
  readonly who: Principal;
  readonly words: WorkRegistration;
  readonly line: WorkLine;
  readonly beats: WorkBeat[];
  /** How often it spoke before it could be heard. */
  spoken: number;
  /** What is waited for before more is heard. */
  relief: Promise<void> | null;
  readonly changes: WorkRegistration[];
  /** How it left, as often as it was told. */
  readonly left: string[];
  ticks: number;
  /** Throws at its next tick. */
  broken: boolean;
}

export interface Desk extends WorkDesk {
  readonly seats: Seat[];
  /** Waited for before a worker is let in. */
  before(wait: () => Promise<void>): void;
}

function fakeDesk(): Desk {
  const seats: Seat[] = [];
  let wait = (): Promise<void> => Promise.resolve();
  return {
    seats,
    before(next) {
      wait = next;
    },
    async enter(who, words, line) {
      await wait();
      const none = { beats: [], relief: null, changes: [], left: [], spoken: 0, ticks: 0, broken: false };
      const seat: Seat = { who, words, line, ...none };
      const worker = workerId(seats.push(seat));
      return {
        ...{ worker, token: `token-${seats.length}`, resumed: words.resume !== null },
        lost: words.resume?.held.slice(1) ?? [],
        verdicts: () =>
          (seat.changes.at(-1) ?? words).specs.map(({ id }) =>
            id === "other"
              ? { id, accepted: false, reason: "checksum", checksum: "sha256:aa" }
              : { id, accepted: true, reason: null, checksum: "sha256:aa" },
          ),
        beat: (beat) => void seat.beats.push(beat),
        alive() {
          seat.spoken += 1;
        },
        relief: () => seat.relief,
        async change(changed) {
          seat.changes.push(changed);
        },
        tick() {
          seat.ticks += 1;
          if (seat.broken) throw new Error("a fault");
          return 100 + seat.ticks;
        },
        async leave(how) {
          seat.left.push(how);
        },
      };
    },
  };
}

const people: Readonly<Record<string, Principal>> = {
  ada: { user: "ada", role: "user", rooms: null, jobs: null, token: "ada" },
  eve: { user: "eve", role: "viewer", rooms: null, jobs: null, token: "eve" },
};

export interface Client {
  readonly ws: WebSocket;
  readonly heard: Message[];
  /** As texts, frame by frame. */
  readonly frames: string[];
  /** The code; null while it is open. */
  readonly code: number | null;
  send(message: unknown): void;
  hears(type: string, fits?: (message: Message) => boolean): Promise<Message>;
  ends(): Promise<number>;
}

export interface ClientOptions {
  readonly token?: string | null;
  readonly path?: string;
  readonly protocols?: readonly string[];
}

export async function doorScene(flags: Readonly<Record<string, string>> = {}) {
  const desk = fakeDesk();
  const [clock, log] = [manualClock(), recordedLog()];
  const { config } = readConfig({ environment: {}, flags });
  const telemetry = serverTelemetry({ clock: systemClock(), log, version: "1.2.3" });
  const revoked = new Set<string>();
  const authenticate = (authorization: string | undefined): Principal | Problem => {
    const name = /^Bearer (.*)$/.exec(authorization ?? "")?.[1] ?? "";
    return (revoked.has(name) ? undefined : people[name]) ?? new Problem("unauthorized", "The token is not good");
  };
  const door = work({
    ...{ config, desk, metrics: telemetry.work, clock, log, version: "1.2.3" },
    auth: { authenticate },
    limit: { admit: () => null, size: 0 },
  });
  const listening = webServer({
    ...{ host: "127.0.0.1", port: 0, clock: systemClock(), log, bodyBytesMax: config.bodyBytesMax, stopGraceMs: 1_000 },
    ...{ ready: () => null, metrics: telemetry.metrics, mayRead: () => undefined },
    ...{ doors: door.doors, upgrades: door.upgrades },
  });
  const { url, port } = await listening.start();
  const open = new Set<WebSocket>();
  async function stop(): Promise<void> {
    for (const ws of open) ws.terminate();
    await door.stop();
    await listening.stop();
  }
  after(stop);

  async function connect({ token = "ada", path = "/work", protocols = [] }: ClientOptions = {}): Promise<Client> {
    const headers = token === null ? {} : { authorization: `Bearer ${token}` };
    const ws = new WebSocket(`ws://127.0.0.1:${port}${path}`, [...protocols], { headers });
    open.add(ws);
    const client = clientOf(ws);
    await new Promise((resolve, reject) => ws.once("open", resolve).once("error", reject));
    return client;
  }

  async function metric(line: string): Promise<number> {
    const { body } = await telemetry.metrics();
    return Number(
      body
        .split("\n")
        .find((each) => each.startsWith(`${line} `))
        ?.split(" ")[1],
    );
  }

  return { desk, clock, log, url, port, door, connect, metric, revoke: (name: string) => revoked.add(name), stop };
}

export function clientOf(ws: WebSocket): Client {
  const heard: Message[] = [];
  const frames: string[] = [];
  let code: number | null = null;
  ws.on("message", (data) => {
    const text = String(data);
    frames.push(text);
    const message = JSON.parse(text);
    heard.push(...(message.type === "batch" ? message.messages : [message]));
  });
  ws.on("error", () => undefined);
  ws.on("close", (closed) => {
    code = closed;
  });
  return {
    ...{ ws, heard, frames },
    get code() {
      return code;
    },
    send: (message) => ws.send(typeof message === "string" ? message : JSON.stringify(message)),
    async hears(type, fits = () => true) {
      const find = () => heard.find((message) => message.type === type && fits(message));
      await until(`${type} is heard`, () => find() !== undefined);
      return find();
    },
    async ends() {
      await until("the connection ends", () => code !== null, 10_000);
      return code as unknown as number;
    },
  };
}

export const registration = { hostname: "w-1", os: "linux", specs: [{ id: "thumbnails", checksum: "sha256:aa" }] };

/** Each is later than the one before, whatever connection it is for. */
let heartbeats = 0;

export function heartbeat(about: object = {}): object {
  heartbeats += 1;
  return { type: "heartbeat", seq: heartbeats, ready: 0, ...about };
}

export function assignmentOf(seq: number, payload = "{}", about: Partial<Assignment> = {}): Assignment {
  const id = taskId(seq);
  const row = aRow({ id, state: "running", attempt: 1, startedAt: 1_767_225_601_000 });
  const task = { card: aCard({ id, logs: "info" }), row, payload };
  return { seq, task, spec: "thumbnails", checksum: "sha256:aa", queue: "default", labels: {}, ...about };
}

/** A worker that is let in, and the desk's side of it. */
export async function welcomed(scene: Awaited<ReturnType<typeof doorScene>>, about: object = {}, beat: object = {}) {
  const client = await scene.connect();
  client.send(heartbeat({ registration: { ...registration, ...about }, ...beat }));
  await client.hears("welcome");
  return { client, seat: scene.desk.seats.at(-1) as Seat };
}
