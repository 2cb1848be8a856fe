// A wire to a server that can fall silent without breaking: what is sent is lost, and nobody is told. Cut for good it
// breaks, as when a process or a machine in between ends.

import { connect, createServer, type Socket } from "node:net";
import { after } from "node:test";

/** Whose words are lost: those of the worker, those of the server, or both. */
export type Lost = "up" | "down" | "both";

export interface SilentWire {
  readonly url: string;
  /** How many were not let through while it was cut. */
  readonly refused: number;
  /** Connections stay as they are, but carry one way at most; new ones come to nothing, whichever way is lost. */
  silence(lost: Lost): void;
  /** Connections break, and nobody gets through. */
  cut(): void;
  /** Breaks what upgraded to a WebSocket, and lets no other through; the rest goes on. */
  cutSockets(): void;
  /** As good as new; what went on in silence breaks. */
  mend(): void;
}

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
  isUpgraded: boolean;
}

const upgrade = /^GET [^\n]*\n(?:[^\n]+\n)*upgrade: websocket/im;

export async function silentWire(url: string): Promise<SilentWire> {
  const { port, hostname } = new URL(url);
  const pairs = new Set<Pair>();
  const nowhere = new Set<Socket>();
  let lost: Lost | null = null;
  let isCut = false;
  let areSocketsCut = false;
  let refused = 0;

  function part({ near, far }: Pair): void {
    near.destroy();
    far.destroy();
  }

  function join(near: Socket): void {
    const pair: Pair = { near, far: connect(Number(port), hostname), isUpgraded: false };
    pairs.add(pair);
    for (const end of [near, pair.far]) {
      end.setNoDelay(true);
      end.on("error", () => end.destroy());
      end.on("close", () => {
        // The other side does not hear of an end while the wire is silent.
        if (lost === null) part(pair);
        if (near.closed && pair.far.closed) pairs.delete(pair);
      });
    }
    near.on("data", (chunk) => {
      if (upgrade.test(chunk.toString("latin1"))) pair.isUpgraded = true;
      if (pair.isUpgraded && areSocketsCut) part(pair);
      else if (lost === null || lost === "down") pair.far.write(chunk);
    });
    pair.far.on("data", (chunk) => {
      if (lost === null || lost === "up") near.write(chunk);
    });
  }

  function refuse(near: Socket): void {
    refused += 1;
    near.destroy();
  }

  const server = createServer((near) => {
    if (isCut) refuse(near);
    else if (lost === null) join(near);
    else nowhere.add(near.on("error", () => undefined).on("close", () => nowhere.delete(near)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  function partAll(): void {
    for (const pair of pairs) part(pair);
    for (const near of nowhere) near.destroy();
  }
  after(() => {
    partAll();
    server.close();
  });

  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
    get refused() {
      return refused;
    },
    silence(which) {
      lost = which;
    },
    cut() {
      isCut = true;
      partAll();
    },
    cutSockets() {
      areSocketsCut = true;
      for (const pair of pairs) if (pair.isUpgraded) part(pair);
    },
    mend() {
      if (lost !== null) partAll();
      [lost, isCut, areSocketsCut] = [null, false, false];
    },
  };
}
