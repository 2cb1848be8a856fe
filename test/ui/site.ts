// A page of a test's own, behind a policy as strict as the dashboard's.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";

const strict = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'";

const page = `<!doctype html>
<html lang="en">
<meta name="viewport" content="width=device-width">
<title>Site</title>
<body><script src="script.js"></script></body>
</html>`;

/** Runs this script; `/torn` never answers, `/slow` only when the test is over, and nothing else is there. */
export async function site(t: TestContext, script: string, policy = strict): Promise<string> {
  const pages: Readonly<Record<string, readonly [string, string]>> = {
    "/": ["text/html; charset=utf-8", page],
    "/script.js": ["text/javascript; charset=utf-8", script],
  };
  const server = createServer((request, response) => {
    const { url = "/" } = request;
    const [type, text] = pages[url] ?? [];
    if (url === "/torn") request.socket.destroy();
    else if (url === "/slow") t.after(() => response.end());
    else if (type === undefined) response.writeHead(404).end();
    else response.writeHead(200, { "content-type": type, "content-security-policy": policy }).end(text);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
