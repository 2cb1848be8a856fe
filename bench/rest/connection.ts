// One connection to the server, one request at a time. Requests are sent as they are and answers hardly looked at, so
// that the client takes little of a machine that it shares with the server.

import { connect, type Socket } from "node:net";

export interface Answer {
  readonly status: number;
  readonly body: string;
}

export interface Connection {
  /** `request` is a whole request, as `requestText` writes it. Rejects when the connection ends before the answer. */
  ask(request: string): Promise<Answer>;
  close(): void;
}

interface Asking {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

export async function openConnection(port: number): Promise<Connection> {
  const socket = await opened(port);
  let asking: Asking | null = null;
  let received: Buffer[] = [];
  let wanted: number | null = null;
  let size = 0;

  socket.on("data", (chunk) => {
    received.push(chunk);
    size += chunk.length;
    wanted ??= answerSize(received);
    if (wanted === null || size < wanted) return;
    const answer = answerOf(received.length === 1 ? chunk : Buffer.concat(received));
    received = [];
    wanted = null;
    size = 0;
    asking?.resolve(answer);
  });
  socket.once("close", () => asking?.reject(new Error("The server closed a connection before it had answered")));
  socket.on("error", (error) => asking?.reject(error));

  return {
    ask(request) {
      return new Promise((resolve, reject) => {
        asking = { resolve, reject };
        socket.write(request);
      });
    },
    close() {
      asking = null;
      socket.destroy();
    },
  };
}

function opened(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true }, () => resolve(socket));
    socket.once("error", reject);
  });
}

/** Of headers and body; null while the headers are not all there. The server always says how long a body is. */
function answerSize(received: readonly Buffer[]): number | null {
  const start = received.length === 1 ? (received[0] as Buffer) : Buffer.concat(received);
  const end = start.indexOf("\r\n\r\n");
  if (end < 0) return null;
  const length = /\r\ncontent-length: (\d+)/i.exec(start.toString("latin1", 0, end))?.[1];
  return end + 4 + Number(length ?? 0);
}

function answerOf(bytes: Buffer): Answer {
  const end = bytes.indexOf("\r\n\r\n");
  return { status: Number(bytes.toString("latin1", 9, 12)), body: bytes.toString("utf8", end + 4) };
}
