import type { Picture } from "./png.ts";

/** At most this wide, in the same proportions: each pixel is the mean of those it stands for. */
export function shrink(picture: Picture, widthMax: number): Picture {
  const width = Math.min(widthMax, picture.width);
  const height = Math.max(1, Math.round((picture.height * width) / picture.width));
  const pixels = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y += 1) {
    const [top, bottom] = span(y, height, picture.height);
    for (let x = 0; x < width; x += 1) {
      const [left, right] = span(x, width, picture.width);
      pixels.set(mean(picture, left, right, top, bottom), (y * width + x) * 4);
    }
  }
  return { width, height, pixels };
}

function span(at: number, of: number, length: number): [number, number] {
  const start = Math.floor((at * length) / of);
  return [start, Math.max(start + 1, Math.floor(((at + 1) * length) / of))];
}

/** What cannot be seen has no color to give. */
function mean({ width, pixels }: Picture, left: number, right: number, top: number, bottom: number): number[] {
  let [red, green, blue, opacity] = [0, 0, 0, 0];
  for (let y = top; y < bottom; y += 1) {
    for (let at = (y * width + left) * 4; at < (y * width + right) * 4; at += 4) {
      const weight = pixels[at + 3] ?? 0;
      red += (pixels[at] ?? 0) * weight;
      green += (pixels[at + 1] ?? 0) * weight;
      blue += (pixels[at + 2] ?? 0) * weight;
      opacity += weight;
    }
  }
  if (opacity === 0) return [0, 0, 0, 0];
  const count = (right - left) * (bottom - top);
  return [red / opacity, green / opacity, blue / opacity, opacity / count].map(Math.round);
}
