// `await` for what may be there already: a handler that does not wait costs no turn of the event loop.

export function afterwards<T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  return isPending(value) ? Promise.resolve(value).then(next) : next(value);
}

/** Promises of every make. */
export function isPending<T>(value: T | Promise<T>): value is Promise<T> {
  if (value instanceof Promise) return true;
  const mayBe = (typeof value === "object" && value !== null) || typeof value === "function";
  return mayBe && typeof (value as { then?: unknown }).then === "function";
}
