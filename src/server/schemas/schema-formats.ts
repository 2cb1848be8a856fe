// The formats that are checked; any other is a remark. Some of the usual expressions take quadratic time or more on hostile
// text: formats whose texts are short by nature are not even tried on longer ones, and the rest are checked simply.

import type { Format, FormatDefinition } from "ajv";
import { fastFormats, fullFormats } from "ajv-formats/dist/formats.js";
import type { WorkMeter } from "./work-meter.ts";

/** The longest text of each format that is looked at. */
const shortFormats = {
  date: 64,
  time: 64,
  "date-time": 64,
  "iso-time": 64,
  "iso-date-time": 64,
  duration: 128,
  email: 320,
  hostname: 254,
  ipv4: 64,
  ipv6: 64,
  uuid: 64,
  "uri-template": 2_048,
  "json-pointer": 2_048,
  "json-pointer-uri-fragment": 2_048,
  "relative-json-pointer": 2_048,
} as const;

export function schemaFormats(meter: WorkMeter): Readonly<Record<string, Format>> {
  const short = Object.entries(shortFormats).map(([name, lengthMax]) => {
    const check = textCheck(fullFormats[name as keyof typeof shortFormats] as Format);
    return [name, (text: string) => text.length <= lengthMax && check(text)] as const;
  });
  const checks: readonly (readonly [string, (text: string) => boolean])[] = [
    ...short,
    ["uri", textCheck(fastFormats.uri as Format)],
    ["uri-reference", textCheck(fastFormats["uri-reference"] as Format)],
    ["url", isUrl],
    ["byte", isBase64],
    ["regex", isRegex],
  ];
  const numbers = ["int32", "int64"].map((name) => [name, fullFormats[name as "int32"] as Format] as const);
  return Object.fromEntries([...numbers, ...checks.map(([name, check]) => [name, metered(meter, check)] as const)]);
}

function metered(meter: WorkMeter, check: (text: string) => boolean): Format {
  return (text: string) => {
    meter.spend(20 + text.length);
    return check(text);
  };
}

function textCheck(format: Format): (text: string) => boolean {
  if (format instanceof RegExp) return (text) => format.test(text);
  if (typeof format === "function") return format as (text: string) => boolean;
  return textCheck((format as FormatDefinition<string>).validate as Format);
}

function isUrl(text: string): boolean {
  return /^(?:https?|ftp):\/\/[^\s]*$/i.test(text) && URL.canParse(text);
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

/** Only read, never run. */
function isRegex(text: string): boolean {
  if (text.length > 2_048) return false;
  try {
    new RegExp(text, "u");
    return true;
  } catch {
    return false;
  }
}
