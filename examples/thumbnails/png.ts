// As much of PNG as pictures with 8 bits per channel need, on nothing but zlib. Interlaced ones are left to libraries.

import { crc32, deflateSync, inflateSync } from "node:zlib";

/** Four bytes a pixel, row by row: red, green, blue, and how opaque it is. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Bytes a pixel, by the number of the color type: gray, color, palette, and the first two with opacity. */
const channelsOf: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const pixelsMax = 100_000_000;

export function readPng(file: Buffer): Picture {
  if (!file.subarray(0, 8).equals(signature)) throw new Error("This is no PNG");
  const { header, palette, data } = chunksOf(file);
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const [bits, color, interlaced] = [header[8], header[9] ?? 0, header[12]];
  const channels = channelsOf[color];
  if (bits !== 8 || channels === undefined || interlaced !== 0) throw new Error("This kind of PNG is not understood");
  if (width === 0 || height === 0 || width * height > pixelsMax) throw new Error(`${width} by ${height} pixels`);
  const rowBytes = width * channels;
  const filtered = inflateSync(data, { maxOutputLength: height * (rowBytes + 1) });
  if (filtered.length !== height * (rowBytes + 1)) throw new Error("The picture is cut off");
  const raw = unfiltered(filtered, height, rowBytes, channels);
  const pixels = new Uint8Array(width * height * 4);
  for (let at = 0; at < width * height; at += 1) {
    pixels.set(colorOf(raw.subarray(at * channels, (at + 1) * channels), color, palette), at * 4);
  }
  return { width, height, pixels };
}

export function writePng({ width, height, pixels }: Picture): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6], 8);
  const rows = Buffer.alloc(height * (width * 4 + 1));
  for (let y = 0; y < height; y += 1) {
    rows.set(pixels.subarray(y * width * 4, (y + 1) * width * 4), y * (width * 4 + 1) + 1);
  }
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const bytes = Buffer.alloc(named.length + 8);
  bytes.writeUInt32BE(data.length, 0);
  bytes.set(named, 4);
  bytes.writeUInt32BE(crc32(named), named.length + 4);
  return bytes;
}

function chunksOf(file: Buffer): { readonly header: Buffer; readonly palette: Buffer; readonly data: Buffer } {
  let header: Buffer = Buffer.alloc(13);
  let palette: Buffer = Buffer.alloc(0);
  const data: Buffer[] = [];
  for (let at = 8; at + 12 <= file.length; ) {
    const end = at + 8 + file.readUInt32BE(at);
    const name = file.toString("latin1", at + 4, at + 8);
    if (end + 4 > file.length) throw new Error("The file is cut off");
    if (crc32(file.subarray(at + 4, end)) !== file.readUInt32BE(end)) throw new Error(`${name} is damaged`);
    if (name === "IHDR" && end - at - 8 === 13) header = file.subarray(at + 8, end);
    if (name === "PLTE") palette = file.subarray(at + 8, end);
    if (name === "IDAT") data.push(file.subarray(at + 8, end));
    at = end + 4;
  }
  return { header, palette, data: Buffer.concat(data) };
}

/** Each row says how it was predicted from its left and upper neighbours; this undoes it. */
function unfiltered(rows: Uint8Array, height: number, rowBytes: number, channels: number): Uint8Array {
  const raw = new Uint8Array(height * rowBytes);
  for (let y = 0; y < height; y += 1) {
    const filter = rows[y * (rowBytes + 1)];
    for (let x = 0; x < rowBytes; x += 1) {
      const at = y * rowBytes + x;
      const left = x < channels ? 0 : (raw[at - channels] ?? 0);
      const up = raw[at - rowBytes] ?? 0;
      const corner = x < channels ? 0 : (raw[at - rowBytes - channels] ?? 0);
      raw[at] = (rows[y * (rowBytes + 1) + 1 + x] ?? 0) + predicted(filter, left, up, corner);
    }
  }
  return raw;
}

function predicted(filter: number | undefined, left: number, up: number, corner: number): number {
  if (filter === 0) return 0;
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  if (filter !== 4) throw new Error("The picture is damaged");
  const [a, b, c] = [up - corner, left - corner, left + up - 2 * corner].map(Math.abs) as [number, number, number];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

function colorOf(bytes: Uint8Array, color: number, palette: Buffer): readonly number[] {
  const [first = 0, second = 0, third = 0, fourth = 255] = bytes;
  if (color === 0) return [first, first, first, 255];
  if (color === 3) return [...palette.subarray(first * 3, first * 3 + 3), 255];
  if (color === 4) return [first, first, first, second];
  return [first, second, third, fourth];
}
