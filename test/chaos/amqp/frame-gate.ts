// Stands between somebody and RabbitMQ, and can stop what is sent exactly before a message is published or acknowledged:
// nothing of that connection reaches the broker from then on.

import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { after } from "node:test";
import { newTraps, type Trap } from "./traps.ts";

export interface Frame {
  readonly step: "publish" | "ack" | "other";
  /** Of what is published. */
  readonly queue: string | null;
  readonly body: string | null;
}

export interface FrameGate {
  readonly url: string;
  trap(isIt: (frame: Frame) => boolean): Trap<Frame>;
}

/** Type, channel and size come before what a frame holds, and one byte after it. */
const [headBytes, tailBytes] = [7, 1];
const [methodType, bodyType] = [1, 3];
/** Where the frame that follows a publish says how long the body is: after two numbers of no use. */
const bodySizeAt = headBytes + 4;
const greetingBytes = 8;
const basic = 60;
const steps = new Map<number, Frame["step"]>([
  [40, "publish"],
  [80, "ack"],
]);

export async function frameGate(brokerPort: number): Promise<FrameGate> {
  const { set, stops } = newTraps<Frame>();
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const broker = connect({ port: brokerPort, host: "127.0.0.1" });
    for (const [end, other] of [
      [client, broker],
      [broker, client],
    ] as const) {
      sockets.add(end.setNoDelay(true));
      end.on("error", () => end.destroy());
      end.on("close", () => sockets.delete(end) && other.destroy());
    }
    broker.pipe(client, { end: false });
    client.on(
      "data",
      passing(stops, (bytes) => broker.write(bytes)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `amqp://guest:guest@127.0.0.1:${port}`, trap: set };
}

/** Takes bytes as they come, and passes whole frames and messages on, up to the first that is stopped. */
function passing(stops: (frame: Frame) => boolean, pass: (bytes: Buffer) => void): (chunk: Buffer) => void {
  let [unread, isGreeted, isHeld] = [Buffer.alloc(0), false, false];
  return (chunk) => {
    if (isHeld) return;
    unread = Buffer.concat([unread, chunk]);
    let at = 0;
    if (!isGreeted && unread.length >= greetingBytes) [at, isGreeted] = [greetingBytes, true];
    while (isGreeted && !isHeld) {
      const end = endOf(unread, at);
      if (end === null) break;
      isHeld = stops(frameOf(unread.subarray(at, end)));
      if (!isHeld) at = end;
    }
    if (at > 0) pass(unread.subarray(0, at));
    unread = unread.subarray(at);
  };
}

/** Where the frame ends that begins here, or the message with all its frames; null where it is not whole yet. */
function endOf(bytes: Buffer, at: number): number | null {
  let end = frameEnd(bytes, at);
  if (end === null || stepOf(bytes.subarray(at, end)) !== "publish") return end;
  const channel = channelOf(bytes, at);
  let left: number | null = null;
  while (left === null || left > 0) {
    const from: number = end;
    end = frameEnd(bytes, from);
    if (end === null) return null;
    // Those of other channels may come in between.
    if (channelOf(bytes, from) !== channel) continue;
    left = left === null ? Number(bytes.readBigUInt64BE(from + bodySizeAt)) : left - heldBytes(bytes, from);
  }
  return end;
}

function frameEnd(bytes: Buffer, at: number): number | null {
  if (bytes.length < at + headBytes) return null;
  const end = at + headBytes + heldBytes(bytes, at) + tailBytes;
  return bytes.length < end ? null : end;
}

function heldBytes(bytes: Buffer, at: number): number {
  return bytes.readUInt32BE(at + 3);
}

function channelOf(bytes: Buffer, at: number): number {
  return bytes.readUInt16BE(at + 1);
}

function frameOf(frames: Buffer): Frame {
  const step = stepOf(frames);
  if (step !== "publish") return { step, queue: null, body: null };
  return { step, queue: queueIn(frames), body: bodyIn(frames) };
}

function stepOf(frame: Buffer): Frame["step"] {
  const isBasic = frame[0] === methodType && frame.readUInt16BE(headBytes) === basic;
  return (isBasic ? steps.get(frame.readUInt16BE(headBytes + 2)) : undefined) ?? "other";
}

/** The routing key of a message: after two bytes of no use, and the exchange's name. */
function queueIn(frame: Buffer): string {
  const exchange = headBytes + 4 + 2;
  const key = exchange + 1 + frame.readUInt8(exchange);
  return frame.toString("utf8", key + 1, key + 1 + frame.readUInt8(key));
}

function bodyIn(frames: Buffer): string {
  const pieces: Buffer[] = [];
  for (let at = 0; at < frames.length; at = frameEnd(frames, at) as number) {
    const isBody = frames[at] === bodyType && channelOf(frames, at) === channelOf(frames, 0);
    if (isBody) pieces.push(frames.subarray(at + headBytes, at + headBytes + heldBytes(frames, at)));
  }
  return Buffer.concat(pieces).toString();
}
