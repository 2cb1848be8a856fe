// What a browser says of the answer it wants: in which encoding, and which one it has already.

import { type Encoding, encodings } from "./ui-files.ts";

/** The best that is accepted; null: as it is. */
export function acceptedEncoding(header: string | undefined): Encoding | null {
  const accepted = new Map(
    (header ?? "").split(",").map((part) => {
      const [name = "", ...parameters] = part.split(";").map((word) => word.trim().toLowerCase());
      const weight = parameters.find((word) => word.startsWith("q="))?.slice(2) ?? "1";
      return [name, Number(weight) > 0] as const;
    }),
  );
  return encodings.find((encoding) => accepted.get(encoding) ?? accepted.get("*") ?? false) ?? null;
}

/** `tag` with its quotes. */
export function hasAlready(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = ifNoneMatch.split(",").map((each) => each.trim().replace(/^W\//, ""));
  return tags.includes(tag) || tags.includes("*");
}
