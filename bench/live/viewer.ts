// One viewer of a room: a WebSocket that speaks just enough of Socket.IO to join and to listen. It takes events as text
// and reads none of them, so that a crowd of viewers takes little of a machine that it shares with the server.

import { connect, type Socket } from "node:net";

export interface Viewer {
  close(): void;
}

export interface ViewerWords {
  readonly port: number;
  readonly token: string;
  readonly room: string;
}

/** Resolves when it has joined. `onEvent` gets the JSON text of every event. Whatever goes wrong later is `onEnd`'s. */
export function openViewer(
  { port, token, room }: ViewerWords,
  onEvent: (text: string) => void,
  onEnd: (error: Error) => void,
): Promise<Viewer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true }, () => socket.write(upgrade));
    const viewer: Viewer = {
      close() {
        socket.removeAllListeners("close");
        socket.destroy();
      },
    };
    const fail = (error: Error): void => {
      reject(error);
      onEnd(error);
    };
    const take = (text: string): void => {
      if (text.startsWith("42")) onEvent(text.slice(2));
      else if (text === "2") send(socket, "3");
      else if (text.startsWith("0")) send(socket, `40${JSON.stringify({ token })}`);
      else if (text.startsWith("40")) send(socket, `420${JSON.stringify(["room_join", { room_id: room }])}`);
      else if (text === '430[{"ok":true}]') resolve(viewer);
      else fail(new Error(`A viewer was told ${text}`));
    };
    socket.on("data", frameReader(take));
    socket.once("error", fail);
    socket.once("close", () => fail(new Error("The server closed the connection of a viewer")));
  });
}

const upgrade = [
  "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1",
  "Host: 127.0.0.1",
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  `Sec-WebSocket-Key: ${Buffer.alloc(16).toString("base64")}\r\n\r\n`,
].join("\r\n");

/** With a mask of zeros, which leaves the text as it is; a server insists on a mask. */
function send(socket: Socket, text: string): void {
  const { length } = text;
  const head = length < 126 ? [0x81, 0x80 | length] : [0x81, 0x80 | 126, length >> 8, length & 255];
  socket.write(Buffer.concat([Buffer.from([...head, 0, 0, 0, 0]), Buffer.from(text)]));
}

/** Behind the answer to the upgrade, every frame is a whole text without a mask. */
function frameReader(take: (text: string) => void): (chunk: Buffer) => void {
  let rest: Buffer | null = null;
  let isUpgraded = false;

  return (chunk) => {
    const bytes: Buffer = rest === null ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    if (!isUpgraded) {
      const end = bytes.indexOf("\r\n\r\n");
      isUpgraded = end >= 0;
      if (!isUpgraded) {
        rest = bytes;
        return;
      }
      at = end + 4;
    }
    for (let end = frameEnd(bytes, at); end !== null; end = frameEnd(bytes, at)) {
      if (bytes[at] !== 0x81) throw new Error(`A frame begins with ${bytes[at]}, which is no whole text`);
      take(bytes.toString("latin1", at + headSize(bytes, at), end));
      at = end;
    }
    rest = at === bytes.length ? null : bytes.subarray(at);
  };
}

function headSize(bytes: Buffer, at: number): number {
  return (bytes[at + 1] as number) < 126 ? 2 : 4;
}

/** Null while it is not all there. No event here has 64 kB. */
function frameEnd(bytes: Buffer, at: number): number | null {
  if (bytes.length < at + 2 || bytes.length < at + headSize(bytes, at)) return null;
  const length = bytes[at + 1] as number;
  if (length === 127) throw new Error("A frame is larger than any event here");
  const end = at + headSize(bytes, at) + (length < 126 ? length : bytes.readUInt16BE(at + 2));
  return end <= bytes.length ? end : null;
}
