import assert from "node:assert/strict";
import { connect, createServer, type Server, type Socket } from "node:net";
import { after, before, describe, it } from "node:test";
import { Client } from "pg";
import { busContract } from "../../testing/bus-contract.ts";
import { cuttingProxy } from "../../testing/cutting-proxy.ts";
import { manualClock, worldStart } from "../../testing/manual-clock.ts";
import { realSurroundings, testDatabaseUrl } from "../../testing/real-surroundings.ts";
import { recordedLog } from "../../testing/recorded-log.ts";
import { until } from "../../testing/until.ts";
import { payloadsOf } from "./bundle.ts";
import { type PostgresBus, type PostgresBusOptions, postgresBus } from "./postgres-bus.ts";

const { clock, ids, random } = realSurroundings();
const url = testDatabaseUrl();
const skip = url === undefined && "LEADHAND_TEST_DATABASE_URL is not set";

describe("the PostgreSQL bus", { skip }, () => {
  const channel = `leadhand_test_${ids.next()}`;
  busContract("the PostgreSQL bus", { open: () => newBus({ channel }), shared: true });
  describe("on a wire that breaks", onAWireThatBreaks);
  describe("is sparing", isSparing);
});

function newBus(options: Partial<PostgresBusOptions> = {}): PostgresBus {
  return postgresBus({
    url: url as string,
    node: ids.next(),
    clock,
    random,
    log: recordedLog(),
    ...options,
  });
}

/** Two servers of their own on a channel of their own; `heard` is what the second hears on the topic. */
async function pair(options: Partial<PostgresBusOptions> = {}, second: Partial<PostgresBusOptions> = {}) {
  const shared = { channel: `leadhand_test_${ids.next()}`, ...options };
  const nodes = [ids.next(), ids.next()] as const;
  const here = newBus({ ...shared, node: nodes[0] });
  const there = newBus({ ...shared, node: nodes[1], ...second });
  const heard: string[] = [];
  there.subscribe("topic", (message) => void heard.push(message));
  await Promise.all([here.start(), there.start()]);
  await until("the topic is known", () => here.wanted("topic"));
  return { here, there, nodes, heard, stop: () => Promise.all([here.stop(), there.stop()]) };
}

function onAWireThatBreaks(): void {
  let admin: Client;
  before(async () => {
    admin = new Client({ connectionString: url as string });
    await admin.connect();
  });
  after(() => admin.end());

  async function kill(connection: string): Promise<void> {
    const { rowCount } = await admin.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1",
      [connection],
    );
    assert.equal(rowCount, 1);
  }

  /** Says something new again and again until it is heard: messages may be lost while a connection is away. */
  async function untilHeard(bus: PostgresBus, heard: readonly string[]): Promise<void> {
    const before = heard.length;
    await until("a message comes through again", () => {
      bus.publish("topic", ids.next());
      return heard.length > before;
    });
  }

  it("a server whose LISTEN was killed hears again", async () => {
    const { here, nodes, heard, stop } = await pair();
    await kill(`leadhand listen ${nodes[1]}`);
    await untilHeard(here, heard);
    await stop();
  });

  it("a server that was deaf for a while knows what the others want", async () => {
    const { here, there, nodes, stop } = await pair();
    await kill(`leadhand listen ${nodes[0]}`);
    there.subscribe("new", () => undefined);
    await until("the new topic is known", () => here.wanted("new"));
    await stop();
  });

  it("a server whose sender was killed is heard again", async () => {
    const { here, nodes, heard, stop } = await pair();
    await kill(`leadhand notify ${nodes[0]}`);
    await untilHeard(here, heard);
    await stop();
  });

  it("a LISTEN that has gone deaf without an error is found and made anew", async () => {
    const wire = await deafWire();
    const log = recordedLog();
    const { here, heard, stop } = await pair({ timing: { announceMs: 100 } }, { listenUrl: wire.url, log });
    wire.deafen();
    await untilHeard(here, heard);
    assert.ok(
      log.lines.some(({ level, fields }) => level === "warn" && /DATABASE_LISTEN_URL/.test(`${fields["reason"]}`)),
    );
    await stop();
    wire.close();
  });

  it("a server that says goodbye is forgotten at once", async () => {
    const { here, there, stop } = await pair();
    await there.stop();
    await until("it is forgotten", () => !here.wanted("topic"));
    await stop();
  });

  it("a server that falls silent is forgotten after a while", async () => {
    const { here, stop } = await pair(
      { timing: { announceMs: 50, forgetMs: 300 } },
      { timing: { announceMs: 60_000 } },
    );
    await until("it is forgotten", () => !here.wanted("topic"));
    await stop();
  });

  it("start waits for a database that is not there yet", async () => {
    const proxy = await cuttingProxy(url as string);
    proxy.close();
    const log = recordedLog();
    const bus = newBus({ listenUrl: proxy.url, log });
    const starting = bus.start();
    await until("it has tried", () => log.lines.some(({ message }) => message.includes("does not answer yet")));
    proxy.open();
    await starting;
    await bus.stop();
    await proxy.stop();
  });

  it("start says what is wrong when the database is not there for ten seconds, or does not want us", async () => {
    const time = manualClock();
    const starting = newBus({ url: "postgres://127.0.0.1:1/none", clock: time }).start();
    const isOver = starting.then(
      () => true,
      () => true,
    );
    const gaveUp = () => Promise.race([isOver, Promise.resolve(false)]);
    await until("it gives up", async () => {
      if (time.nextAt() !== null) time.advance(1_000);
      return gaveUp();
    });
    await assert.rejects(starting, /ECONNREFUSED/);
    assert.ok(time.now() >= worldStart + 10_000);
    const unknown = Object.assign(new URL(url as string), { pathname: "/nobody_has_made_this" });
    await assert.rejects(newBus({ url: unknown.href }).start(), /does not exist/);
    const stopped = newBus();
    await stopped.stop();
  });
}

function isSparing(): void {
  it("a topic nobody else wants does not leave the server", async () => {
    const { here, heard, stop } = await pair();
    for (let index = 0; index < 100; index += 1) here.publish(`task:${index}`, "running");
    here.publish("topic", "wanted");
    await until("the wanted one was heard", () => heard.length === 1);
    // The other side may hear of it before the sender is told that it was sent.
    await until("it was counted", () => here.counts().sentMessages > 0);
    assert.equal(here.counts().sentMessages, 1);
    await stop();
  });

  it("a burst leaves in a few notifications, and what is said twice is said once", async () => {
    const { here, there, heard, stop } = await pair();
    const before = here.counts();
    for (let index = 0; index < 3_000; index += 1) here.publish("topic", `${index % 1_000}`);
    await until("all were heard", () => heard.length === 1_000);
    // The other side may hear of it before the sender is told that it was sent.
    await until("all were counted", () => here.counts().sentMessages - before.sentMessages === 1_000);
    const { sentPayloads } = here.counts();
    assert.ok(sentPayloads - before.sentPayloads < 10, `${sentPayloads} payloads`);
    assert.equal(there.counts().receivedMessages, 1_000);
    await stop();
  });

  it("messages published one after the other share notifications", async () => {
    const { here, heard, stop } = await pair();
    const before = here.counts().sentPayloads;
    const startedAt = clock.now();
    for (let index = 0; index < 500; index += 1) {
      here.publish("topic", `${index}`);
      await new Promise(setImmediate);
    }
    await until("all were heard", () => heard.length === 500);
    const windows = Math.ceil((clock.now() - startedAt) / 10);
    assert.ok(here.counts().sentPayloads - before <= windows + 2);
    await stop();
  });

  it("a queue that is full drops the oldest and counts them", async () => {
    const { here, heard, stop } = await pair({ limits: { messagesMax: 10 } });
    for (let index = 0; index < 100; index += 1) here.publish("topic", `${index}`);
    await until("the newest was heard", () => heard.includes("99"));
    assert.equal(heard[0], "90");
    assert.equal(here.counts().droppedMessages, 90);
    await stop();
  });

  it("a server that is alone says nothing, and says everything to the first who comes", async () => {
    const channel = `leadhand_test_${ids.next()}`;
    const time = manualClock();
    const lone = newBus({ channel, clock: time });
    await lone.start();
    await until("it has said hello", () => lone.counts().sentPayloads === 1);
    lone.company(0);
    lone.subscribe("topic", () => undefined);
    await hasHeardItself(lone, channel);
    time.advance(60_000);

    const second = newBus({ channel });
    await second.start();
    await until("the newcomer knows what is wanted", () => second.wanted("topic"));
    await Promise.all([lone.stop(), second.stop()]);
    assert.equal(lone.counts().sentPayloads, 3, "hello, the answer to the newcomer, and good-bye");
  });

  it("a server that learns that it has company makes itself known", async () => {
    const channel = `leadhand_test_${ids.next()}`;
    const second = newBus({ channel, timing: { announceMs: 60_000 } });
    const lone = newBus({ channel, timing: { announceMs: 60_000 } });
    await second.start();
    lone.company(0);
    lone.subscribe("topic", () => undefined);
    await lone.start();
    lone.company(1);
    await until("the other knows what is wanted", () => second.wanted("topic"));
    await Promise.all([lone.stop(), second.stop()]);
  });

  it("thousands of topics are announced", async () => {
    const { here, there, stop } = await pair();
    for (let index = 0; index < 20_000; index += 1) there.subscribe(`worker:${index}`, () => undefined);
    await until("they are known", () => here.wanted("worker:19999") && here.wanted("worker:0"));
    assert.equal(here.wanted("worker:20000"), false);
    await stop();
  });
}

/** Comes back when the server has heard all that it has said: what a stranger says in passing, it hears after that. */
async function hasHeardItself(bus: PostgresBus, channel: string): Promise<void> {
  let heard = false;
  bus.subscribe("passing", () => {
    heard = true;
  });
  const stranger = new Client({ connectionString: url as string });
  await stranger.connect();
  for (const payload of payloadsOf(ids.next(), 1, { bye: true, messages: [["passing", ""]] }))
    await stranger.query("select pg_notify($1, $2)", [channel, payload]);
  await until("the stranger is heard", () => heard);
  await stranger.end();
}

/** A way to the database whose present connections can be made to stay open and carry nothing back. */
async function deafWire(): Promise<{ url: string; deafen(): void; close(): void }> {
  const target = new URL(url as string);
  const sockets = new Set<Socket>();
  const server: Server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname);
    client.pipe(database).pipe(client);
    for (const socket of [client, database]) sockets.add(socket.on("error", () => socket.destroy()));
    database.on("close", () => client.destroy());
    client.on("close", () => database.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  return {
    url: Object.assign(new URL(target), { hostname: "127.0.0.1", port: `${address.port}` }).href,
    deafen() {
      for (const socket of sockets) socket.unpipe();
    },
    close: () => server.close(),
  };
}
