// Clients of the Socket.IO door against a whole server: the stock client, over real sockets.

import { after } from "node:test";
import { io, type ManagerOptions, type Socket, type SocketOptions } from "socket.io-client";
import { until } from "../../src/testing/until.ts";
import type { Caller } from "../rest/scene.ts";

export type Transport = "websocket" | "polling";

// biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape.
export type Data = any;

export interface Heard {
  readonly event: string;
  readonly data: Data;
}

export interface Connected {
  readonly socket: Socket;
  /** Everything the server said, in order. */
  readonly heard: Heard[];
  of(event: string): Data[];
  ask(event: string, data?: unknown): Promise<Data>;
  /** Resolves with the first event that fits. */
  hears(event: string, fits?: (data: Data) => boolean): Promise<Data>;
}

const open = new Set<Socket>();
after(() => {
  for (const socket of open) socket.disconnect();
});

export type ClientOptions = Partial<ManagerOptions & SocketOptions>;

/** A client that is not connected yet, with a connection of its own. */
export function client(url: string, token: string | undefined, options: ClientOptions = {}): Socket {
  const auth = token === undefined ? {} : { token };
  const socket = io(url, { auth, forceNew: true, reconnectionDelay: 20, transports: ["websocket"], ...options });
  open.add(socket);
  return socket;
}

export async function connect(url: string, who: Caller, options: ClientOptions = {}): Promise<Connected> {
  const socket = client(url, who.token, options);
  const heard: Heard[] = [];
  socket.onAny((event: string, data: Data) => heard.push({ event, data }));
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("connect_error", reject);
  });
  const of = (event: string) => heard.filter((each) => each.event === event).map(({ data }) => data);
  return {
    ...{ socket, heard, of },
    ask: (event, data = {}) => socket.timeout(5_000).emitWithAck(event, data),
    async hears(event, fits = () => true) {
      await until(`${event} is heard`, () => of(event).some(fits));
      return of(event).find(fits);
    },
  };
}

export interface Registered {
  /** Full name. */
  readonly job: string;
  readonly worker: string;
}

export async function register(who: Caller, room: string, name: string, worker?: string): Promise<Registered> {
  const words = { category: "modifiers", name, ...(worker !== undefined && { worker_id: worker }) };
  const { status, body } = await who.put(`/rooms/${room}/jobs`, words);
  if (status >= 300) throw new Error(JSON.stringify(body));
  return { job: body.full_name, worker: body.worker_id };
}

export async function submit(who: Caller, room: string, job: string, payload: object = {}): Promise<string> {
  const { status, body } = await who.post(`/rooms/${room}/tasks/${job}`, { payload });
  if (status !== 202) throw new Error(JSON.stringify(body));
  return body.id;
}
