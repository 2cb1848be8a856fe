// Frames that leave in one piece. A client that writes each message by itself wakes the broker for each; of a hundred that
// leave together both spend about half as much on each.

/** Messages that are worth one piece: more would wait for the socket anyway. */
const pieceMax = 100;

/**
 * The client library corks its socket for one message and has no word for several, so this looks for the socket itself;
 * where it is not there any more, each leaves on its own.
 */
export function together<T>(connection: object, work: () => T): T {
  const { _socket: socket } = connection as { readonly _socket?: unknown };
  if (!isCorkable(socket)) return work();
  socket.cork();
  try {
    return work();
  } finally {
    socket.uncork();
  }
}

/** `write` is called for each, in order. */
export function inPieces<T>(connection: object, things: readonly T[], write: (thing: T, nth: number) => void): void {
  for (let from = 0; from < things.length; from += pieceMax) {
    together(connection, () => {
      for (const [nth, thing] of things.slice(from, from + pieceMax).entries()) write(thing, from + nth);
    });
  }
}

interface Corkable {
  cork(): void;
  uncork(): void;
}

export function isCorkable(socket: unknown): socket is Corkable {
  const { cork, uncork } = (socket ?? {}) as Partial<Record<keyof Corkable, unknown>>;
  return typeof cork === "function" && typeof uncork === "function";
}
