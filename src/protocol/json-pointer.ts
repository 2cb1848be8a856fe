// JSON pointers (RFC 6901) in refusals. Names come from strangers, so that a pointer is cut off, at a whole step, where
// it gets too long to read: it then names the nearest place above.

export const pointerLengthMax = 512;

export function jsonPointer(path: readonly (string | number)[]): string {
  let pointer = "";
  for (const step of path) {
    const longer = `${pointer}/${pointerStep(step)}`;
    if (longer.length > pointerLengthMax) break;
    pointer = longer;
  }
  return pointer;
}

/** The same limit for a pointer that is already spelled. */
export function shortPointer(pointer: string): string {
  if (pointer.length <= pointerLengthMax) return pointer;
  return pointer.slice(0, Math.max(0, pointer.lastIndexOf("/", pointerLengthMax)));
}

export function pointerStep(step: string | number): string {
  return typeof step === "number" ? String(step) : step.replaceAll("~", "~0").replaceAll("/", "~1");
}
