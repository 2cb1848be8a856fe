import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32, deflateSync, inflateSync } from "node:zlib";
import { withPalette } from "../tools/png-palette.ts";

/** Each line of the picture is filtered in another way, as an encoder may choose. */
const lines = [
  [0, 10, 20, 30, 200, 100, 50],
  [1, 10, 20, 30, 190, 80, 20],
  [2, 0, 0, 0, 0, 0, 0],
  [3, 5, 10, 15, 95, 40, 10],
  [4, 0, 0, 0, 0, 0, 0],
];

test("a picture has the same colours with a palette, however its lines were written", () => {
  const small = withPalette(picture(2, 5, lines.flat()));
  const palette = part(small, "PLTE");
  const points = inflateSync(part(small, "IDAT"));
  for (const line of lines.keys()) {
    const places = [...points.subarray(line * 3 + 1, line * 3 + 3)];
    const colors = places.map((place) => [...palette.subarray(place * 3, place * 3 + 3)]);
    assert.deepEqual(colors, [
      [10, 20, 30],
      [200, 100, 50],
    ]);
  }
});

test("a picture of very many colours keeps 256 of them, each near the true one", () => {
  const bytes = Array.from({ length: 1_024 }, (_, at) => [at >> 2, (at * 7) % 256, at % 256]);
  const small = withPalette(picture(1_024, 1, [0, ...bytes.flat()]));
  const palette = part(small, "PLTE");
  assert.ok(palette.length <= 768);
  const points = inflateSync(part(small, "IDAT")).subarray(1);
  for (const [at, color] of bytes.entries()) {
    const place = (points[at] ?? 0) * 3;
    const off = color.map((value, channel) => Math.abs(value - (palette[place + channel] ?? 0)));
    assert.ok(Math.max(...off) < 48, `${color} became ${[...palette.subarray(place, place + 3)]}`);
  }
});

test("what is no picture of a browser is refused", () => {
  const grey = picture(1, 1, [0, 0, 0, 0]);
  grey[25] = 0;
  assert.throws(() => withPalette(grey), /No picture of a browser/);
});

function picture(width: number, height: number, bytes: readonly number[]): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  const parts = [chunk("IHDR", header), chunk("IDAT", deflateSync(Buffer.from(bytes))), chunk("IEND", Buffer.alloc(0))];
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), ...parts]);
}

function chunk(name: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(name), data]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

function part(png: Buffer, name: string): Buffer {
  const at = png.indexOf(name) - 4;
  return png.subarray(at + 8, at + 8 + png.readUInt32BE(at));
}
