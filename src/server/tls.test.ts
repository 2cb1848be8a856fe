import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { get } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { recordedLog } from "../testing/recorded-log.ts";
import { selfSigned } from "../testing/self-signed.ts";
import { ConfigError } from "./config.ts";
import { systemClock } from "./system.ts";
import { readTls } from "./tls.ts";
import { webServer } from "./web-server.ts";

const folder = mkdtempSync(join(tmpdir(), "leadhand-tls-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const { tlsCert, tlsKey } = selfSigned(folder);
test("a server with a certificate listens with it", async () => {
  const tls = await readTls({ tlsCert, tlsKey });
  const server = webServer({
    host: "127.0.0.1",
    port: 0,
    tls,
    clock: systemClock(),
    log: recordedLog(),
    ready: () => null,
    metrics: () => Promise.reject(new Error("unused")),
    mayRead: () => undefined,
    bodyBytesMax: 1_048_576,
    stopGraceMs: 2_000,
  });
  const { url } = await server.start();
  assert.match(url, /^https:/);
  const status = await new Promise((resolve, reject) => {
    get(`${url}/health`, { rejectUnauthorized: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    }).on("error", reject);
  });
  assert.equal(status, 200);
  await server.stop();
});

test("without a certificate there is none", async () => {
  assert.equal(await readTls({ tlsCert: null, tlsKey: null }), null);
});

test("a file that is missing or no pair is a fault of the settings, which it names", async () => {
  const faults = (tls: Parameters<typeof readTls>[0]): Promise<string> =>
    readTls(tls).then(
      () => "",
      (error: unknown) => (error instanceof ConfigError ? error.faults.join() : String(error)),
    );
  assert.match(
    await faults({ tlsCert: "/no/such/file", tlsKey }),
    /^LEADHAND_TLS_CERT: "\/no\/such\/file" cannot be read/,
  );
  assert.match(await faults({ tlsCert, tlsKey: "/no/such/file" }), /^LEADHAND_TLS_KEY: /);
  assert.match(
    await faults({ tlsCert: tlsKey, tlsKey: tlsCert }),
    /^LEADHAND_TLS_CERT and LEADHAND_TLS_KEY are no pair/,
  );
});
