// A way to a server that can be cut at the worst moment: when the server has got a message and its answer is on the way
// back, or just before it gets it. For tests of what happens to those who never hear the answer.

import { connect, createServer, type Socket } from "node:net";

/**
 * `answer`: the server has done what it was asked, and nobody is told. `request`: it was never asked. `midway`: it was
 * asked, and nobody waited to see whether it did.
 */
export type Cut = "answer" | "request" | "midway";

export interface CuttingProxy {
  /** The same server, through the proxy. */
  readonly url: string;
  /** Cuts each connection, one after the other, on which the text is sent, so many times in all. */
  cut(what: Cut, text: string, times?: number): void;
  /** Makes the text unreadable where it is sent next: the server says that it does not understand, and lives on. */
  garble(text: string): void;
  /** Connections that are there carry nothing any more, and neither side is told, not even of an end; new ones are good. */
  silence(): void;
  /** How many connections were cut so far. */
  readonly cuts: number;
  /** Cuts everything, and lets nobody through until it is opened again. */
  close(): void;
  open(): void;
  stop(): Promise<void>;
}

/** As it stands at the end of its message. */
export const commitText = "commit\u0000";

/** Where much is sent at once, the answer meant is not the first. */
const answers: ReadonlyMap<string, string> = new Map([[commitText, "COMMIT\u0000"]]);

export async function cuttingProxy(url: string): Promise<CuttingProxy> {
  const target = new URL(url);
  const pairs = new Set<Pair>();
  let plan: { what: Cut; text: string; left: number } | null = null;
  let garbled: string | null = null;
  let closed = false;
  let cuts = 0;

  const server = createServer((client) => {
    if (closed) {
      client.destroy();
      return;
    }
    const far = connect(Number(target.port), target.hostname);
    const pair: Pair = { client, server: far, cut: null, muteUntil: null, isSilent: false };
    pairs.add(pair);
    join(
      pair,
      () => pairs.delete(pair),
      (sent) => onSent(pair, sent),
    );
    pair.server.on("data", (chunk) => {
      if (pair.isSilent) return;
      if (pair.muteUntil === null) client.write(chunk);
      else if (chunk.includes(pair.muteUntil)) {
        // Only now has the server done what it was asked.
        if (pair.cut === "answer") cuts += 1;
        part(pair);
      }
    });
  });

  function onSent(pair: Pair, sent: Buffer): void {
    if (pair.isSilent) return;
    const isMeant = plan !== null && plan.left > 0 && sent.includes(plan.text);
    if (plan !== null && isMeant) {
      plan.left -= 1;
      if (plan.what !== "answer") cuts += 1;
      pair.cut = plan.what;
      pair.muteUntil = answers.get(plan.text) ?? "";
    }
    if (isMeant && plan?.what === "request") part(pair);
    else
      pair.server.write(onTheWay(sent), () => {
        if (isMeant && plan?.what === "midway") part(pair);
      });
  }

  function onTheWay(sent: Buffer): Buffer {
    const at = garbled === null ? -1 : sent.indexOf(garbled);
    if (garbled === null || at < 0) return sent;
    const changed = Buffer.from(sent).fill("?", at, at + garbled.length);
    garbled = null;
    return changed;
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: Object.assign(new URL(target), { hostname: "127.0.0.1", port: `${port}` }).href,
    cut(what, text, times = 1) {
      plan = { what, text, left: times };
    },
    garble(text) {
      garbled = text;
    },
    silence() {
      for (const pair of pairs) pair.isSilent = true;
    },
    get cuts() {
      return cuts;
    },
    close() {
      closed = true;
      for (const pair of pairs) part(pair);
    },
    open() {
      closed = false;
    },
    async stop() {
      for (const pair of pairs) part(pair);
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  /** How it is being cut. */
  cut: Cut | null;
  /** If set, what the server says is not passed on, and the connection ends when it says this. */
  muteUntil: string | null;
  isSilent: boolean;
}

function join(pair: Pair, gone: () => void, sent: (chunk: Buffer) => void): void {
  const { client, server } = pair;
  for (const [end, other] of [
    [client, server],
    [server, client],
  ] as const) {
    end.setNoDelay(true);
    end.on("error", () => end.destroy());
    end.on("close", () => {
      if (!pair.isSilent) other.destroy();
      if (other.destroyed) gone();
    });
  }
  client.on("data", sent);
}

function part({ client, server }: Pair): void {
  client.destroy();
  server.destroy();
}
