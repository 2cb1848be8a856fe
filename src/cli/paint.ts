import { styleText } from "node:util";

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

export type Paint = (style: Style, text: string) => string;

/** Colours where people look on: on a terminal, and unless NO_COLOR is set. */
export function paintOn(stream: NodeJS.WriteStream): Paint {
  return (style, text) => (text === "" ? text : styleText(style, text, { stream }));
}

export const noPaint: Paint = (_, text) => text;
