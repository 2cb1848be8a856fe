import assert from "node:assert/strict";
import { test } from "node:test";
import { inPieces, together } from "./together.ts";

function recorded() {
  const said: string[] = [];
  const connection = { _socket: { cork: () => said.push("cork"), uncork: () => said.push("uncork") } };
  return { said, connection };
}

test("messages leave a hundred at a time, in their order", () => {
  const { said, connection } = recorded();
  const numbers = Array.from({ length: 150 }, (_, nth) => nth);
  inPieces(connection, numbers, (number, nth) => said.push(`${number} ${nth}`));
  const written = (from: number, to: number) => numbers.slice(from, to).map((nth) => `${nth} ${nth}`);
  assert.deepEqual(said, ["cork", ...written(0, 100), "uncork", "cork", ...written(100, 150), "uncork"]);
});

test("what goes wrong on the way leaves nothing corked", () => {
  const { said, connection } = recorded();
  const work = (): void => {
    throw new Error("closed");
  };
  assert.throws(() => together(connection, work), /closed/);
  assert.deepEqual(said, ["cork", "uncork"]);
});

test("where the library has no socket to be corked, messages leave all the same", () => {
  const said: number[] = [];
  inPieces({}, [1, 2], (number) => said.push(number));
  assert.deepEqual(said, [1, 2]);
});
