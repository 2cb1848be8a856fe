// Words that want to be more than words. Whatever a stranger can say anywhere, a page shows as text: it neither runs, nor
// hides, nor breaks what stands beside it.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";

/** What the code among them would leave behind, if it ever ran. */
const mark = "leadhandPwned";

export const hostileTexts = {
  script: `<script>globalThis.${mark} = "script"</script>`,
  image: `<img src="x" onerror="globalThis.${mark} = 'image'">`,
  attribute: `"'><svg onload="globalThis.${mark} = 'attribute'" autofocus tabindex=1 onfocus="globalThis.${mark} = 1">`,
  frame: `<iframe srcdoc="<script>parent.${mark} = 'frame'</script>"></iframe>`,
  link: `javascript:globalThis.${mark}='link'//https://example.com`,
  markdown: `[a](javascript:globalThis.${mark}='markdown') ![b](https://elsewhere.invalid/b.png)`,
  template: `{{constructor.constructor("globalThis.${mark} = 1")()}} \${globalThis.${mark} = 1} <%= 1 %>`,
  endings: `</textarea></title></style></script>--> ]]> \\u003cscript\\u003e`,
  style: `<style>*{display:none!important}</style>;}body{background:url(https://elsewhere.invalid/x)}`,
  // The words after the first sign are shown from right to left, so that the file seems to be a picture.
  backwards:
    "holiday-\u202egnp.exe\u202c \u2067\u05e9\u05dc\u05d5\u05dd\u2069 \u0645\u0631\u062d\u0628\u0627 \u2066\u202e",
  invisible: "\u200bpay\u200bpal\u200d\u2060\ufeff\u00ad\u180e\u3164",
  stacked: `Z${"\u0300\u0301\u0302\u0489".repeat(20)}algo`,
  emoji: "👩‍👩‍👧‍👦 🏳️‍🌈 🇨🇭 👍🏿 🫠",
  lines: "one\r\ntwo\n\n\n\tthree\u0007\u001b[31mred\u001b[0m\u0085\u2028\u2029",
  unbroken: "W".repeat(4_000),
} as const satisfies Readonly<Record<string, string>>;

export type HostileText = keyof typeof hostileTexts;
export const hostileTextNames = Object.keys(hostileTexts) as HostileText[];

/** The server takes a payload of 1 MiB; this is one with what stands around it. */
export const hugeText = "x".repeat(2 ** 20 - 100);

export const hostilePayloads: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  texts: { ...hostileTexts },
  keys: Object.fromEntries(hostileTextNames.map((name) => [hostileTexts[name], name])),
  prototype: JSON.parse(
    `{"__proto__": {"${mark}": true}, "constructor": {"prototype": {"${mark}": true}}, "hasOwnProperty": 1, "toString": null,
      "length": 4294967295, "then": "later", "key": "k", "ref": "r", "dangerouslySetInnerHTML": {"__html": "<b>bold</b>"}}`,
  ),
  huge: { text: hugeText },
  deep: nested(200),
  wide: Object.fromEntries(Array.from({ length: 5_000 }, (_, nth) => [`key-${nth}`, nth])),
  long: { list: Array.from({ length: 20_000 }, (_, nth) => nth) },
  numbers: { big: 1e308, small: 5e-324, unsafe: 2 ** 53, negativeZero: -0, fraction: 0.1 + 0.2 },
  empty: { "": "", " ": [], none: null, no: {}, list: [[], {}, [[]]] },
};

/** Objects and lists by turns, one in the other. */
function nested(levels: number): Record<string, unknown> {
  let inner: unknown = hostileTexts.image;
  for (let level = levels; level > 1; level -= 1) inner = level % 2 === 0 ? [inner] : { [`level ${level}`]: inner };
  return { "level 1": inner };
}

/** So much of a text as a name may have, in whole characters. */
export function asName(text: string, bytesMax = 200): string {
  let name = "";
  for (const character of text) {
    if (Buffer.byteLength(name + character) > bytesMax) break;
    name += character;
  }
  return name;
}

/** Nothing among the words has run, and none became a part of the page. */
export async function assertHarmless(page: Page): Promise<void> {
  const ran = await page.evaluate<unknown>(`globalThis.${mark} ?? null`);
  assert.equal(ran, null, `${page.url()}: a payload has run`);
  const become = await page.evaluate<string[]>(`[...document.querySelectorAll(${JSON.stringify(partsOfWords)})]
    .map((element) => element.outerHTML.slice(0, 200))`);
  assert.deepEqual(become, [], `${page.url()}: words became parts of the page`);
}

const partsOfWords = [
  "[onerror]",
  "[onload]",
  "[onfocus]",
  "iframe",
  "script:not([src])",
  "a[href^='javascript:' i]",
  "[src*='elsewhere.invalid']",
].join(", ");
