import { UsageError } from "./usage-error.ts";

/** `--label K=V`, as often as it was given; undefined where it was not. */
export function labelsOf(flags: Readonly<Record<string, unknown>>): Record<string, string> | undefined {
  const given = flags["label"] as readonly string[] | undefined;
  if (given === undefined) return undefined;
  return Object.fromEntries(
    given.map((label) => {
      const split = label.indexOf("=");
      if (split < 1) throw new UsageError(`--label: "${label}" is not key=value`);
      return [label.slice(0, split), label.slice(split + 1)];
    }),
  );
}

/** Null where there are none. */
export function labelText(labels: Readonly<Record<string, string>> | null): string | null {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? null : pairs.join(", ");
}
