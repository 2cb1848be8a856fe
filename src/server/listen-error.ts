const faults: Readonly<Record<string, string>> = {
  EADDRINUSE: "is taken by another process; choose another with --port or LEADHAND_PORT",
  EACCES: "is not open to this user; choose one above 1023 with --port or LEADHAND_PORT",
  EADDRNOTAVAIL: "is not on this machine; choose another address with --host or LEADHAND_HOST",
  ENOTFOUND: "is not on this machine; choose another address with --host or LEADHAND_HOST",
};

/** Why a port cannot be listened on, and what to do about it. */
export function listenError(cause: NodeJS.ErrnoException, host: string, port: number): Error {
  const fault = faults[cause.code ?? ""] ?? `cannot be listened on: ${cause.message}`;
  return new Error(`Port ${port} of ${host} ${fault}`, { cause });
}
