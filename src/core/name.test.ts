import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  checkCategory,
  checkJobName,
  checkNameLength,
  checkRoom,
  fullName,
  nameBytesMax,
  parseJobName,
} from "./name.ts";
import { Problem, type ProblemCode } from "./problem.ts";

const refused = (code: ProblemCode) => (error: unknown) => error instanceof Problem && error.code === code;

test("a name is split on its first two colons; the rest may hold anything", () => {
  assert.deepEqual(parseJobName("@global:modifiers:Rotate"), {
    room: "@global",
    category: "modifiers",
    name: "Rotate",
  });
  assert.deepEqual(parseJobName("r:c:a:b/c::"), { room: "r", category: "c", name: "a:b/c::" });
  assert.deepEqual(parseJobName("::"), { room: "", category: "", name: "" });
});

test("a name without two colons names no job", () => {
  for (const text of ["", "a", "a:b"]) assert.throws(() => parseJobName(text), refused("job-not-found"));
});

test("a name that was put together is taken apart again", () => {
  const part = fc.string().map((text) => text.replaceAll(":", "."));
  const holds = fc.property(part, part, fc.string(), (room, category, name) => {
    assert.deepEqual(parseJobName(fullName({ room, category, name })), { room, category, name });
  });
  fc.assert(holds);
});

test("rooms are free of '@' and ':', but for the two reserved ones", () => {
  for (const room of ["@global", "@internal", "lab", "a b/c", "é"]) checkRoom(room);
  for (const room of ["", "@", "@globe", "a@b", "a:b", "@global "]) {
    assert.throws(() => checkRoom(room), refused("invalid-room-id"), room);
  }
});

test("categories are those configured and those of the foreign documents", () => {
  for (const category of ["modifiers", "blocks", "specs", "operations"]) checkCategory(category, ["modifiers"]);
  assert.throws(() => checkCategory("other", ["modifiers"]), refused("invalid-category"));
});

test("a name is at most so many bytes long, not letters", () => {
  checkNameLength("/name", "é".repeat(127));
  checkNameLength("/name", "a".repeat(nameBytesMax));
  assert.throws(() => checkNameLength("/name", "a".repeat(nameBytesMax + 1)), refused("invalid-request"));
  assert.throws(() => checkNameLength("/name", "é".repeat(128)), refused("invalid-request"));
  checkJobName({ room: "r", category: "c", name: "x".repeat(nameBytesMax - 4) });
  assert.throws(() => checkJobName({ room: "r", category: "c", name: "x".repeat(nameBytesMax - 3) }));
});

test("a name holds no NUL, and the refusal points at the field", () => {
  const pointed = (error: unknown) =>
    refused("invalid-request")(error) && (error as Problem).errors[0]?.pointer === "/name";
  assert.throws(() => checkNameLength("/name", "a\u0000b"), pointed);
});
