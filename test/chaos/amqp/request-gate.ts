// Stands between a consumer and its server, and can stop a request exactly before it reaches the server, or its answer
// before it reaches the consumer.

import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { after } from "node:test";
import { newTraps, type Trap } from "./traps.ts";

export interface Exchange {
  readonly path: string;
  readonly asked: string;
  /** Null before the server has answered. */
  readonly answered: string | null;
}

export interface RequestGate {
  readonly url: string;
  trap(isIt: (exchange: Exchange) => boolean): Trap<Exchange>;
}

export async function requestGate(target: string): Promise<RequestGate> {
  const { set, stops } = newTraps<Exchange>();
  const agent = new Agent({ keepAlive: true });
  const server = createServer(async (coming, answer) => {
    const { url: path = "", method, headers } = coming;
    try {
      const asked = await text(coming);
      if (stops({ path, asked, answered: null })) return;
      const reply = await passedOn(new URL(path, target), { method, headers, agent }, asked);
      if (stops({ path, asked, answered: reply.text })) return;
      answer.writeHead(reply.status, { "content-type": reply.type }).end(reply.text);
    } catch {
      // As if there were nobody in between.
      answer.socket?.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(() => {
    agent.destroy();
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, trap: set };
}

function passedOn(url: URL, options: object, body: string): Promise<{ status: number; type: string; text: string }> {
  return new Promise((resolve, reject) => {
    const going = request(url, options, (reply) => {
      const { statusCode: status = 500, headers } = reply;
      text(reply).then(
        (said) => resolve({ status, type: headers["content-type"] ?? "text/plain", text: said }),
        reject,
      );
    });
    going.on("error", reject).end(body);
  });
}
