import { createServer } from "node:net";

/** Free when asked; another process may take it before it is used. */
export function freePort(): Promise<number> {
  return listening(0);
}

/** Below those that systems give out by themselves: nobody takes it while whoever has it is away for a moment. */
export async function lastingPort(): Promise<number> {
  for (;;) {
    const port = await listening(10_240 + Math.floor(Math.random() * 20_000)).catch(() => 0);
    if (port !== 0) return port;
  }
}

function listening(wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(wanted, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
