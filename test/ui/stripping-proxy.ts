// A reverse proxy that serves Leadhand below a path of its own, as nginx does with `location /jobs/ { proxy_pass …/; }`: the
// prefix is stripped, requests and upgrades alike, and a header tells what it was.

import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { after } from "node:test";

const started: Server[] = [];
after(() => {
  for (const server of started) {
    server.close();
    server.closeAllConnections();
  }
});

export async function strippingProxy(target: string, prefix: string): Promise<string> {
  const { hostname, port } = new URL(target);
  const onwards = ({ method, headers, url = "/" }: IncomingMessage) => {
    const path = url.slice(prefix.length) || "/";
    return request({ hostname, port, method, path, headers: { ...headers, "x-forwarded-prefix": prefix } });
  };
  const server = createServer((asked, answer) => {
    if (!asked.url?.startsWith(`${prefix}/`)) return answer.writeHead(404).end("not Leadhand");
    const further = onwards(asked);
    further.on("response", (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    further.on("error", () => answer.destroy());
    return asked.pipe(further);
  });
  server.on("upgrade", (asked, socket: Socket, head) => {
    const further = onwards(asked);
    further.on("upgrade", (response, upstream: Socket, first) => {
      const lines = response.rawHeaders.flatMap((name, at) =>
        at % 2 === 0 ? [`${name}: ${response.rawHeaders[at + 1]}`] : [],
      );
      socket.write(["HTTP/1.1 101 Switching Protocols", ...lines, "", ""].join("\r\n"));
      upstream.write(head);
      socket.write(first);
      socket.pipe(upstream).pipe(socket);
      for (const [one, other] of [[socket, upstream] as const, [upstream, socket] as const]) {
        one.on("error", () => other.destroy());
      }
    });
    further.on("response", () => socket.destroy());
    further.on("error", () => socket.destroy());
    further.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  started.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
