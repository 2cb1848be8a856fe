// A wire to a server that loses answers: the server has done what it was asked, and nobody hears of it.

import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";

/** Answers the address of a wire that cuts the connection instead of each answer that `isLost` names. */
export async function lossyWire(
  url: string,
  isLost: (asked: IncomingMessage, body: string) => boolean,
): Promise<string> {
  const wire = createServer((asked, answer) => {
    const { method, headers } = asked;
    const onward = request(url + asked.url, { method, headers }, (said) => {
      let body = "";
      said.setEncoding("utf8").on("data", (text: string) => (body += text));
      said.on("end", () => {
        if (isLost(asked, body)) asked.socket.destroy();
        else answer.writeHead(said.statusCode ?? 0, said.headers).end(body);
      });
    });
    onward.on("error", () => asked.socket.destroy());
    answer.on("close", () => onward.destroy());
    asked.pipe(onward);
  });
  await new Promise<void>((resolve) => wire.listen(0, "127.0.0.1", resolve));
  after(() => {
    wire.closeAllConnections();
    wire.close();
  });
  return `http://127.0.0.1:${(wire.address() as AddressInfo).port}`;
}
