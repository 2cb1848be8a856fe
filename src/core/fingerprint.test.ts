import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { errorPattern, fingerprint, isFingerprint } from "./fingerprint.ts";

const job = "lab:modifiers:Rotate";
const of = (message: string, code: string | null = null, of = job): string => fingerprint(of, { message, code });

const words = fc.stringMatching(/^[g-z]{3,8}$/);
/** What differs from one time to the next, each written in many ways. */
const details = fc.oneof(
  fc.uuid().map((id) => ({ kind: "id", text: id })),
  fc.nat().map((number) => ({ kind: "number", text: String(number) })),
  fc.stringMatching(/^[ -!#-~]{0,12}$/).map((text) => ({ kind: "text", text: `"${text}"` })),
  fc.array(fc.stringMatching(/^[\w.-]{1,8}$/), { minLength: 1, maxLength: 4 }).map((parts) => ({
    kind: "path",
    text: `/${parts.join("/")}`,
  })),
  fc.bigInt({ min: 0n, max: 2n ** 60n }).map((number) => ({ kind: "hex", text: `0x${number.toString(16)}` })),
);

test("failures that differ only in ids, numbers, quoted texts, hexadecimals and paths are alike", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(words, details, details), { minLength: 1, maxLength: 8 }), (parts) => {
      const alike = parts.filter(([, one, other]) => one.kind === other.kind);
      const one = alike.map(([word, detail]) => `${word} ${detail.text}`).join(" ");
      const other = alike.map(([word, , detail]) => `${word} ${detail.text}`).join(" ");
      assert.equal(of(one), of(other), `${errorPattern(one)} and ${errorPattern(other)}`);
    }),
  );
});

test("a pattern has no more details than itself", () => {
  fc.assert(fc.property(fc.string({ maxLength: 300 }), (text) => isFingerprint(of(text))));
  fc.assert(
    fc.property(fc.array(fc.tuple(words, details), { maxLength: 8 }), (parts) => {
      const pattern = errorPattern(parts.map(([word, { text }]) => `${word} ${text}`).join(" "));
      assert.equal(errorPattern(pattern), pattern);
    }),
  );
});

test("another job, another code and other words are another failure", () => {
  const all = [
    of("Disk is full"),
    of("Disk is empty"),
    of("Disk is full", "disk"),
    of("Disk is full", null, "lab:modifiers:Turn"),
  ];
  assert.equal(new Set(all).size, all.length);
});

test("what is left of an error reads like the error", () => {
  const error = `Can't open '/data/in 7.csv' (attempt 3 of 5) at 0x7ffd, see /var/log/app.log:12; it's task 0199c0de-0000-7000-8000-00000000abcd`;
  assert.equal(
    errorPattern(error),
    "Can't open <text> (attempt <number> of <number>) at <number>, see <path>:<number>; it's task <id>",
  );
  assert.equal(errorPattern("either/or"), "either/or");
  assert.equal(errorPattern("C:\\Temp\\run.log\n  is gone"), "<path> is gone");
  assert.equal(errorPattern("deadbeef12 facade"), "<number> facade");
});

test("a long error takes no long time", { timeout: 5_000 }, () => {
  for (const piece of ["'", '"a', "/a", "0a", "a'"]) assert.ok(isFingerprint(of(piece.repeat(200_000))));
});
