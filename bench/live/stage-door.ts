// The actor's side of `actor.ts`.

/** What the actor was told when it started. */
export function told<W>(): W {
  return JSON.parse(process.argv[2] as string) as W;
}

/** Once it was let go, nobody listens; it may be let go while it speaks. */
export function say<M extends { readonly kind: string }>(message: M): void {
  if (process.connected) process.send?.(message, () => {});
}

export function onTold<W>(listener: (words: W) => void): void {
  process.on("message", (words) => listener(words as W));
}

/** `leave` says goodbye to the server. */
export function untilLetGo(leave: () => Promise<unknown>): void {
  process.once("disconnect", () => void leave().finally(() => process.exit()));
}
