import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { canonicalJson, type Json, specChecksum } from "../../src/core/checksum.ts";
import { Heartbeat, serverMessages } from "../../src/protocol/work/frames.ts";
import { doorScene } from "./door-scene.ts";
import { play, scenes } from "./scenes.ts";

const folder = new URL("../../docs/protocol/vectors/work/", import.meta.url);
const checksums = JSON.parse(readFileSync(new URL("checksums.json", folder), "utf8")) as readonly {
  readonly name: string;
  readonly spec: string;
  readonly canonical: string;
  readonly checksum: string;
}[];

for (const { name, spec, canonical, checksum } of checksums) {
  test(`a spec has its published checksum: ${name}`, () => {
    const { schema, output } = JSON.parse(spec) as { readonly schema: Json; readonly output?: Json };
    assert.equal(canonicalJson(output === undefined ? { schema } : { schema, output }), canonical);
    assert.equal(specChecksum({ schema, output }), checksum);
    assert.equal(`sha256:${createHash("sha256").update(canonical).digest("hex")}`, checksum);
  });
}

const scene = await doorScene();
const tokens = { user: "ada", viewer: "eve", wrong: "mallory", none: null } as const;
const ofTheDoor = scenes.filter(({ specs }) => specs.length === 0);

for (const each of ofTheDoor) {
  test(`the published scene plays: ${each.name}`, async () => {
    const connect = () => scene.connect({ token: tokens[each.token] });
    await play(each, { connect, pass: scene.clock.advance });
  });
}

const ajv = new Ajv2020({ strict: false });
(addFormats as unknown as (to: Ajv2020) => void)(ajv);
const isHeartbeat = ajv.compile(JSON.parse(JSON.stringify(Heartbeat)));

test("in scenes that end well every message is as described", () => {
  assert.ok(scenes.length - ofTheDoor.length > 10);
  const id = "0190a1b2-c3d4-7e5f-8a9b-0123456789ab";
  for (const { name, steps } of scenes.filter(({ steps: all }) => !all.some((step) => "close" in step))) {
    for (const step of steps) {
      const said = JSON.stringify(step.send ?? {}).replaceAll(/"\$\w+"/g, `"${id}"`);
      if (step.send?.type === "heartbeat") assert.ok(isHeartbeat(JSON.parse(said)), `${name}: ${said}`);
      for (const { type } of step.expectAll ?? (step.expect ? [step.expect] : []))
        assert.ok(type in serverMessages, name);
    }
  }
});
