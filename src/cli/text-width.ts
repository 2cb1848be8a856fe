// How wide a text is on a terminal, where some letters take two places and some none.

const letters = new Intl.Segmenter("en", { granularity: "grapheme" });

const wide =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}])/u;

export function textWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of letters.segment(text)) width += wide.test(segment) ? 2 : 1;
  return width;
}

/** At most so wide; what was cut off, at the end unless said, is marked by `…`. */
export function cutText(text: string, width: number, from: "end" | "start" = "end"): string {
  if (textWidth(text) <= width) return text;
  const all = [...letters.segment(text)].map(({ segment }) => segment);
  if (from === "start") all.reverse();
  const kept: string[] = [];
  let used = 0;
  for (const letter of all) {
    used += wide.test(letter) ? 2 : 1;
    if (used > width - 1) break;
    kept.push(letter);
  }
  return from === "end" ? `${kept.join("")}…` : `…${kept.reverse().join("")}`;
}
