// Something stands in the server's place for a moment, and answers in its own words.

import assert from "node:assert/strict";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { after, test } from "node:test";
import { Category, Extension } from "../../src/sdk/index.ts";
import { managerScene } from "./job-manager/wire-scene.ts";
import { clientOf, hire } from "./scene.ts";

const scene = await managerScene();
const client = clientOf({ url: scene.url, token: scene.admin.token });
const page = "<html>We are back in a minute.</html>";

/** Answers with a page, or sends elsewhere, what `isTaken` names; the server answers the rest. */
async function portal(isTaken: (asked: IncomingMessage, body: string) => number | null): Promise<string> {
  const wire = createServer(async (asked, answer) => {
    const { method = "GET", headers, url: path } = asked;
    const body = await text(asked);
    const status = isTaken(asked, body);
    if (status !== null) return void answer.writeHead(status, { "content-type": "text/html" }).end(page);
    const words = Object.fromEntries(
      ["authorization", "content-type", "prefer"].flatMap((key) => (headers[key] ? [[key, String(headers[key])]] : [])),
    );
    const said = await fetch(scene.url + path, { method, headers: words, ...(body !== "" && { body }) }).catch(
      () => null,
    );
    if (said === null) return void asked.socket.destroy();
    answer.writeHead(said.status, { "content-type": "application/json" }).end(await said.text());
  });
  await new Promise<void>((resolve) => wire.listen(0, "127.0.0.1", resolve));
  after(() => {
    wire.closeAllConnections();
    wire.close();
  });
  return `http://127.0.0.1:${(wire.address() as AddressInfo).port}`;
}

test("a worker whose claim and result are answered with a page goes on, and tells the result again", async () => {
  const taken = new Set<string>();
  const once = (what: string): boolean => !taken.has(what) && taken.add(what).has(what);
  const url = await portal(({ method, url: path }, body) => {
    if (path?.endsWith("/claim") && once("claim")) return 200;
    if (method === "PATCH" && body.includes('"completed"'))
      return once("page") ? 200 : once("elsewhere") ? 302 : once("no such page") ? 404 : null;
    return null;
  });
  const job = "@global:modifiers:Portal";
  const worker = hire({ url, token: scene.admin.token }, (each) => each.job(job, {}, () => "done"));
  await worker.start();
  assert.equal(await client.run(job, {}, { timeoutMs: 10_000 }), "done");
  assert.deepEqual([...taken], ["claim", "page", "elsewhere", "no such page"]);
});

test("a manager whose result is answered with a page tells it again", async () => {
  class Portal extends Extension {
    static readonly category = Category.MODIFIER;
    run() {}
  }
  const { manager, wire } = scene.manager({ execute: () => "done" });
  await manager.register(Portal, { name: "ManagerPortal" });
  let ends = 0;
  wire.meddle = (request) => {
    if (!request.startsWith("PATCH /tasks/")) return undefined;
    ends += 1;
    // The first says that it runs.
    return ends === 2 ? new Response(page, { headers: { "content-type": "text/html" } }) : undefined;
  };
  assert.equal(await client.run("@global:modifiers:ManagerPortal", {}, { timeoutMs: 10_000 }), "done");
  assert.equal(ends, 3);
});
