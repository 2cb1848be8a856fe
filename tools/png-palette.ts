// Smaller pictures: those of a page have a few hundred colours that an eye can tell apart, and need no three bytes for each
// of their points. Reads what Chromium writes (8 bits a channel, not interlaced), and no other kind.

import { crc32, deflateSync, inflateSync } from "node:zlib";

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const paletteMax = 256;
const groundsMax = 64;

/** The same picture in 256 colours at most, none of which is farther from the true one than it has to be. */
export function withPalette(png: Buffer): Buffer {
  const { width, height, points } = decode(png);
  const counts = new Map<number, number>();
  for (const color of points) counts.set(color, (counts.get(color) ?? 0) + 1);
  const byCount = [...counts].sort(([, a], [, b]) => b - a).map(([color]) => color);
  let palette = byCount;
  for (let apart = 4; palette.length > paletteMax; apart += 2) palette = farApart(byCount, apart);
  const places = new Map(byCount.map((color) => [color, nearest(palette, color)]));
  const lines = Buffer.alloc(height * (width + 1));
  points.forEach((color, at) => {
    lines[at + Math.floor(at / width) + 1] = places.get(color) ?? 0;
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits a point, each the place of its colour.
  header.set([8, 3], 8);
  const colors = Buffer.from(palette.flatMap((color) => channels(color)));
  const parts = [chunk("IHDR", header), chunk("PLTE", colors), chunk("IDAT", deflateSync(lines, { level: 9 }))];
  return Buffer.concat([signature, ...parts, chunk("IEND", Buffer.alloc(0))]);
}

/** The most frequent ones, which are grounds, as they are; of the others that look alike only one. */
function farApart(byCount: readonly number[], apart: number): number[] {
  const chosen = byCount.slice(0, groundsMax);
  for (const color of byCount.slice(groundsMax)) {
    if (chosen.every((other) => distance(color, other) > apart * apart)) chosen.push(color);
    if (chosen.length > paletteMax) break;
  }
  return chosen;
}

function nearest(palette: readonly number[], color: number): number {
  let best = 0;
  for (const [place, other] of palette.entries()) {
    if (distance(color, other) < distance(color, palette[best] ?? 0)) best = place;
  }
  return best;
}

function distance(a: number, b: number): number {
  const [x, y] = [channels(a), channels(b)];
  return (x[0] - y[0]) ** 2 + (x[1] - y[1]) ** 2 + (x[2] - y[2]) ** 2;
}

function channels(color: number): [number, number, number] {
  return [color >> 16, (color >> 8) & 255, color & 255];
}

interface Picture {
  readonly width: number;
  readonly height: number;
  /** Red, green and blue in one number, line by line. */
  readonly points: Uint32Array;
}

function decode(png: Buffer): Picture {
  const parts: Buffer[] = [];
  for (let at = signature.length; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString("latin1", at + 4, at + 8) === "IDAT")
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const [width, height, kind] = [png.readUInt32BE(16), png.readUInt32BE(20), png[25]];
  if (png[24] !== 8 || (kind !== 2 && kind !== 6))
    throw new Error(`No picture of a browser: ${png[24]} bits, kind ${kind}`);
  const step = kind === 6 ? 4 : 3;
  const lines = unfiltered(inflateSync(Buffer.concat(parts)), width * step, height, step);
  const points = new Uint32Array(width * height);
  for (let at = 0; at < points.length; at += 1) {
    const from = at * step;
    points[at] = ((lines[from] ?? 0) << 16) | ((lines[from + 1] ?? 0) << 8) | (lines[from + 2] ?? 0);
  }
  return { width, height, points };
}

/** Each line says of its bytes how they differ from those to the left and above. */
function unfiltered(lines: Buffer, length: number, height: number, step: number): Uint8Array {
  const plain = new Uint8Array(length * height);
  for (let line = 0; line < height; line += 1) {
    const filter = lines[line * (length + 1)] ?? 0;
    for (let at = 0; at < length; at += 1) {
      const place = line * length + at;
      const left = at < step ? 0 : (plain[place - step] ?? 0);
      const above = line === 0 ? 0 : (plain[place - length] ?? 0);
      const corner = at < step || line === 0 ? 0 : (plain[place - length - step] ?? 0);
      plain[place] = (lines[line * (length + 1) + 1 + at] ?? 0) + guess(filter, left, above, corner);
    }
  }
  return plain;
}

function guess(filter: number, left: number, above: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return above;
  if (filter === 3) return (left + above) >> 1;
  if (filter === 4) return paeth(left, above, corner);
  return 0;
}

function paeth(left: number, above: number, corner: number): number {
  const sum = left + above - corner;
  const [toLeft, toAbove, toCorner] = [Math.abs(sum - left), Math.abs(sum - above), Math.abs(sum - corner)];
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}
