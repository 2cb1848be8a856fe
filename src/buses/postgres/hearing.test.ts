import assert from "node:assert/strict";
import { test } from "node:test";
import { hearing } from "./hearing.ts";

test("an announcement has from one look to the next to come back", () => {
  const ear = hearing();
  ear.sent(ear.nextProbe());
  assert.equal(ear.isDeaf(), false, "it was sent since the last look");
  assert.equal(ear.isDeaf(), true);
});

test("who hears itself is not deaf", () => {
  const ear = hearing();
  for (let look = 0; look < 5; look += 1) {
    const probe = ear.nextProbe();
    ear.sent(probe);
    ear.heard(probe);
    assert.equal(ear.isDeaf(), false);
  }
});

test("what could not be sent need not be heard", () => {
  const ear = hearing();
  ear.nextProbe();
  assert.equal(ear.isDeaf(), false);
  assert.equal(ear.isDeaf(), false);
});

test("a new connection is not blamed for what the old one missed", () => {
  const ear = hearing();
  ear.sent(ear.nextProbe());
  ear.isDeaf();
  ear.reset();
  assert.equal(ear.isDeaf(), false);
  assert.equal(ear.isDeaf(), false);
});

test("bundles without an announcement say nothing about hearing", () => {
  const ear = hearing();
  ear.sent(undefined);
  ear.heard(undefined);
  ear.isDeaf();
  assert.equal(ear.isDeaf(), false);
});
