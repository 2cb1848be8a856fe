// Stands between a worker and its broker, and falls silent or breaks off when the test wants it.

import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { after } from "node:test";
import { amqpUrl } from "./scene.ts";

export interface BrokerProxy {
  readonly url: string;
  /** From now on nothing comes through, in neither direction. */
  silence(): void;
  /** How many bytes did not come through. */
  swallowed(): number;
  /** Ends all connections. New ones come through. */
  cut(): void;
  /** The same, but new ones do not until `letIn`. */
  keepOut(): void;
  letIn(): void;
}

export async function brokerProxy(): Promise<BrokerProxy> {
  const broker = new URL(amqpUrl);
  const sockets = new Set<Socket>();
  let isSilent = false;
  let isShut = false;
  let swallowed = 0;
  const standing = createServer((near) => {
    if (isShut) return void near.destroy();
    const far = connect(Number(broker.port), broker.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("data", (bytes) => {
        if (isSilent) swallowed += bytes.length;
        else to.write(bytes);
      });
      from.on("close", () => to.destroy());
      from.on("error", () => undefined);
    }
  });
  await new Promise<void>((resolve) => standing.listen(0, "127.0.0.1", resolve));
  function cut(): void {
    isSilent = false;
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  }
  after(() => {
    cut();
    standing.close();
  });
  const url = new URL(amqpUrl);
  url.hostname = "127.0.0.1";
  url.port = String((standing.address() as AddressInfo).port);
  return {
    ...{ url: url.href, cut, silence: () => (isSilent = true), swallowed: () => swallowed },
    keepOut() {
      isShut = true;
      cut();
    },
    letIn: () => (isShut = false),
  };
}
