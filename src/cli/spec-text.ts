// What a change of a spec means, as people read it.

import type { PutSpecAnswer, SpecDiffAnswer } from "./answers.ts";
import type { Paint, Style } from "./paint.ts";
import { plain } from "./plain.ts";

type Changed = Pick<PutSpecAnswer | SpecDiffAnswer, "id" | "change">;

const styles = { new: "green", same: "dim", compatible: "green", breaking: "red" } as const satisfies Record<
  string,
  Style
>;
const words = { new: "created", same: "unchanged", compatible: "compatible", breaking: "breaking" } as const;

export function isBreaking({ change }: Changed): boolean {
  return change?.kind === "breaking";
}

/** The first line says what; further ones name each difference. */
export function changeLines({ id, change }: Changed, paint: Paint): string[] {
  const kind = change?.kind ?? "new";
  return [
    `${paint(styles[kind], words[kind].padEnd(10))}  ${plain(id)}`,
    ...(change?.differences ?? []).map((each) => {
      const mark = each.kind === "breaking" ? paint("red", "!") : "+";
      return `  ${mark} ${plain(each.pointer || "/")}: ${plain(each.detail)}`;
    }),
  ];
}
