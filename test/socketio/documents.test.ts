import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { problems } from "../../src/core/problem.ts";
import { clientEvents, serverEvents } from "../../src/protocol/socketio/events.ts";

const text = readFileSync(new URL("../../docs/protocol/socketio.md", import.meta.url), "utf8");

/** The events of a part, each with the fields of its table. */
function written(title: string): Record<string, string[]> {
  const part = text.split(/^## /m).find((each) => each.startsWith(`${title}\n`)) ?? "";
  const sections = part.split(/^### /m).slice(1);
  return Object.fromEntries(
    sections.map((section) => [
      /^`(\w+)`/.exec(section)?.[1],
      [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, field]) => field),
    ]),
  );
}

function described(events: Readonly<Record<string, { readonly properties: object }>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(events).map(([name, { properties }]) => [name, Object.keys(properties)]));
}

test("socketio.md has each event with its fields, and no other", () => {
  assert.deepEqual(written("What clients send"), described(clientEvents));
  assert.deepEqual(written("What the server sends"), described(serverEvents));
});

test("socketio.md names problems that there are", () => {
  const named = [...text.matchAll(/`([a-z]+(?:-[a-z]+)+|unauthorized|forbidden)`/g)].map(([, code]) => code as string);
  const known = named.filter((code) => code !== "python-socketio");
  assert.ok(known.length > 10);
  for (const code of known) assert.ok(code in problems, code);
});
