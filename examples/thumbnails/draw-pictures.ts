// `node draw-pictures.ts 20` draws pictures to try it with, where there are none: 640 by 480, each in a color of its own.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writePng } from "./png.ts";

const folder = process.env["PICTURES"] ?? "pictures";
const count = Number(process.argv[2] ?? 20);
const [width, height] = [640, 480];

mkdirSync(folder, { recursive: true });
for (let number = 1; number <= count; number += 1) {
  const pixels = new Uint8Array(width * height * 4);
  for (let at = 0; at < width * height; at += 1) {
    const [x, y] = [at % width, Math.floor(at / width)];
    const inside = (x - width / 2) ** 2 + (y - height / 2) ** 2 < 200 ** 2;
    pixels.set(
      inside ? [(number * 67) % 256, (number * 101) % 256, 128, 255] : [255, 255, (255 * y) / height, 255],
      at * 4,
    );
  }
  writeFileSync(join(folder, `picture-${String(number).padStart(3, "0")}.png`), writePng({ width, height, pixels }));
}
console.log(`${count} pictures are in ${folder}`);
