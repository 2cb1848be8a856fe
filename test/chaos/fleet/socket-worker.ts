// A worker on /work as a stranger writes it: one JSON object in a frame, a beat each second, a result until it is answered.
// It resumes with what it has in hand when its connection breaks.

import { setTimeout as pause } from "node:timers/promises";
import { WebSocket } from "ws";
import { type Deed, jobs, type Orders, perform, say } from "./words.ts";

const beatMs = 500;
const silenceMs = 5_000;
const againMs = 1_000;

// biome-ignore lint/suspicious/noExplicitAny: messages of every shape.
type Message = any;

interface InHand {
  readonly jobId: string;
  readonly attempt: number;
  /** Once it has ended: told each second until it is answered. */
  result?: object;
  firstToldAt?: number;
  lastToldAt?: number;
}

export async function socketWorker(orders: Orders): Promise<never> {
  const { concurrency = 2, labels } = orders;
  const hands = new Map<string, InHand>();
  let session: { readonly workerId: string; readonly token: string } | null = null;

  async function take({ id, attempt, parameters }: Message): Promise<void> {
    const held: InHand = { jobId: id, attempt };
    hands.set(`${id} ${attempt}`, held);
    say({ began: id, attempt });
    const about = { jobId: id, attempt };
    held.result = await perform(parameters as Deed, attempt).then(
      () => ({ ...about, outcome: "succeeded", data: { of: id } }),
      (error: Error) => ({ ...about, outcome: "failed", error: { message: error.message } }),
    );
  }

  /** Resolves when the connection has ended. */
  function connection(): Promise<void> {
    const socket = new WebSocket(`${orders.url.replace(/^http/, "ws")}/work`, {
      ...{ headers: { authorization: `Bearer ${orders.token}` }, perMessageDeflate: false, handshakeTimeout: 5_000 },
    });
    let [seq, acked, heardAt, welcome] = [0, 0, Date.now(), false];
    // On another connection it is told again at once.
    for (const held of hands.values()) delete held.lastToldAt;

    function beat(words: object = {}): void {
      if (socket.readyState !== WebSocket.OPEN) return;
      const now = Date.now();
      if (now - heardAt > silenceMs) {
        socket.terminate();
        return;
      }
      const isDue = ({ result, lastToldAt = 0 }: InHand) => result !== undefined && now - lastToldAt >= againMs;
      const told = welcome ? [...hands.values()].filter(isDue) : [];
      for (const each of told) [each.firstToldAt, each.lastToldAt] = [each.firstToldAt ?? now, now];
      seq += 1;
      const ready = welcome ? Math.max(0, concurrency - hands.size) : 0;
      const results = told.map(({ result }) => result);
      socket.send(JSON.stringify({ type: "heartbeat", seq, ready, ackedAssignment: acked, results, ...words }));
    }

    function hear(message: Message): void {
      heardAt = Date.now();
      if (message.type === "welcome") {
        session = { workerId: message.workerId, token: message.token };
        welcome = true;
        // What it was told to be lost is for another.
        for (const { jobId, attempt } of message.lost ?? []) hands.delete(`${jobId} ${attempt}`);
        say({ ready: message.workerId });
        beat();
      } else if (message.type === "assignment") {
        acked = message.seq;
        void take(message.job).then(() => beat());
        beat();
      } else if (message.type === "resultAck" && !message.retry) {
        const key = `${message.jobId} ${message.attempt}`;
        const at = hands.get(key)?.firstToldAt;
        if (at !== undefined && session !== null) say({ heard: session.workerId, at, answeredAt: heardAt });
        hands.delete(key);
        beat();
      } else if (message.type === "release" || message.type === "cancel") {
        hands.delete(`${message.jobId} ${message.attempt}`);
      }
    }

    const timer = setInterval(beat, beatMs);
    socket.on("message", (data) => hear(JSON.parse(data.toString())));
    socket.on("error", () => socket.terminate());
    socket.on("open", () => {
      const specs = [{ id: jobs.mixed }, { id: jobs.night }];
      const inHand = [...hands.values()].map(({ jobId, attempt }) => ({ jobId, attempt }));
      const resume = session === null ? {} : { resume: { ...session, jobs: inHand } };
      const about = { hostname: "raw", os: "linux", specs, concurrency, ...(labels && { labels }), ...resume };
      beat({ registration: about });
    });
    return new Promise((resolve) =>
      socket.on("close", () => {
        clearInterval(timer);
        resolve();
      }),
    );
  }

  for (;;) {
    await connection();
    await pause(200);
  }
}
