// What every bus promises (ports/bus.ts). An adapter's test file is one call of this.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { Bus, Topic } from "../ports/bus.ts";
import { until } from "./until.ts";

export interface BusUnderTest extends Bus {
  wanted(topic: Topic): boolean;
}

/** Where buses under test come from. */
export interface BusContractOptions {
  /** Another server's bus on the same wire, not yet started. */
  open(): BusUnderTest;
  /** Whether several buses reach each other; a bus that is always alone is not asked to. */
  readonly shared: boolean;
}

export function busContract(name: string, options: BusContractOptions): void {
  const opened: BusUnderTest[] = [];

  async function startedBus(): Promise<BusUnderTest> {
    const bus = options.open();
    opened.push(bus);
    await bus.start();
    return bus;
  }

  after(() => Promise.all(opened.map((bus) => bus.stop())));
  describe(`${name}, on one server`, () => oneServer(startedBus));
  if (options.shared) describe(`${name}, between servers`, () => betweenServers(startedBus));
}

/** A subscription that remembers what it heard. */
function ear(bus: Bus, topic: Topic): { readonly heard: string[]; readonly end: () => void } {
  const heard: string[] = [];
  return { heard, end: bus.subscribe(topic, (message) => void heard.push(message)) };
}

function oneServer(open: () => Promise<BusUnderTest>): void {
  it("brings a message to every listener of its topic and to nobody else", async () => {
    const bus = await open();
    const [first, second, other] = [ear(bus, "room:a"), ear(bus, "room:a"), ear(bus, "room:b")];
    bus.publish("room:a", "hello");
    bus.publish("room:a");
    await until("both heard both", () => first.heard.length === 2 && second.heard.length === 2);
    assert.deepEqual(first.heard, ["hello", ""]);
    assert.deepEqual(second.heard, ["hello", ""]);
    assert.deepEqual(other.heard, []);
  });

  it("returns from publish before any listener is called", async () => {
    const bus = await open();
    const { heard } = ear(bus, "catalog");
    bus.publish("catalog", "1");
    assert.deepEqual(heard, []);
    await until("it was heard", () => heard.length === 1);
  });

  it("keeps the order of a topic", async () => {
    const bus = await open();
    const { heard } = ear(bus, "task:1");
    const said = Array.from({ length: 100 }, (_, index) => `${index}`);
    for (const message of said) bus.publish("task:1", message);
    await until("all were heard", () => heard.length === said.length);
    assert.deepEqual(heard, said);
  });

  it("lets a subscription end, even from within, and even twice", async () => {
    const bus = await open();
    const heard: string[] = [];
    const end = bus.subscribe("worker:1", (message) => {
      heard.push(message);
      end();
    });
    const stays = ear(bus, "worker:1");
    bus.publish("worker:1", "once");
    bus.publish("worker:1", "twice");
    await until("the other heard both", () => stays.heard.length === 2);
    end();
    bus.publish("worker:1", "thrice");
    await until("the other heard all", () => stays.heard.length === 3);
    assert.deepEqual(heard, ["once"]);
  });

  it("does not hand a message to who subscribed because of it", async () => {
    const bus = await open();
    const late: string[] = [];
    const end = bus.subscribe("supply:1", () => {
      end();
      bus.subscribe("supply:1", (message) => void late.push(message));
    });
    bus.publish("supply:1", "first");
    await until("the second subscription stands", () => {
      bus.publish("supply:1", "later");
      return late.length > 0;
    });
    assert.ok(!late.includes("first"));
  });

  it("serves the others when one listener fails", async () => {
    const bus = await open();
    bus.subscribe("room:x", () => {
      throw new Error("this listener is broken");
    });
    const { heard } = ear(bus, "room:x");
    bus.publish("room:x", "still here");
    await until("the other heard it", () => heard.length === 1);
  });

  it("knows whether anyone listens", async () => {
    const bus = await open();
    assert.equal(bus.wanted("room:rare"), false);
    const { end } = ear(bus, "room:rare");
    assert.equal(bus.wanted("room:rare"), true);
    end();
    assert.equal(bus.wanted("room:rare"), false);
  });

  it("is quiet after it was stopped, which may happen twice", async () => {
    const bus = await open();
    const { heard } = ear(bus, "room:end");
    bus.publish("room:end", "too late");
    await Promise.all([bus.stop(), bus.stop()]);
    const before = heard.length;
    bus.publish("room:end", "much too late");
    await new Promise(setImmediate);
    assert.equal(heard.length, before);
    await bus.stop();
  });
}

function betweenServers(open: () => Promise<BusUnderTest>): void {
  async function pair(): Promise<[BusUnderTest, BusUnderTest]> {
    return [await open(), await open()];
  }

  it("brings a message to the listeners of all servers, to each once", async () => {
    const [here, there] = await pair();
    const [near, far] = [ear(here, "room:both"), ear(there, "room:both")];
    // Announced with the topics before them, and wanted by one server alone.
    ear(here, "mark:here");
    ear(there, "mark:there");
    await until("each knows of the other", () => here.wanted("mark:there") && there.wanted("mark:here"));
    here.publish("room:both", "from here");
    there.publish("room:both", "from there");
    here.publish("room:both", "end");
    there.publish("room:both", "end");
    await until("both heard all", () =>
      [near, far].every(({ heard }) => heard.filter((m) => m === "end").length === 2),
    );
    for (const { heard } of [near, far]) {
      assert.deepEqual(heard.toSorted(), ["end", "end", "from here", "from there"]);
    }
  });

  it("learns of topics, whether they were subscribed before the other server came or after", async () => {
    const first = await open();
    const early = ear(first, "room:early");
    const second = await open();
    const late = ear(first, "room:late");
    await until("it knows both", () => second.wanted("room:early") && second.wanted("room:late"));
    second.publish("room:early", "1");
    second.publish("room:late", "2");
    await until("both were heard", () => early.heard.length === 1 && late.heard.length === 1);
  });

  it("carries any text unharmed, also one larger than a notification", async () => {
    const [here, there] = await pair();
    const { heard } = ear(there, "room:ünï");
    await until("the topic is known", () => here.wanted("room:ünï"));
    const texts = ["", "ü€😀", "\u0000", 'quote " and \\', "x".repeat(40_000), "😀".repeat(5_000), " "];
    for (const text of texts) here.publish("room:ünï", text);
    await until("all were heard", () => heard.length === texts.length);
    assert.deepEqual(heard, texts);
  });

  it("keeps the order of a topic through a burst", async () => {
    const [here, there] = await pair();
    const { heard } = ear(there, "supply:9");
    await until("the topic is known", () => here.wanted("supply:9"));
    const said = Array.from({ length: 5_000 }, (_, index) => `message ${index}`);
    for (const message of said) here.publish("supply:9", message);
    await until("all were heard", () => heard.length === said.length);
    assert.deepEqual(heard, said);
  });
}
