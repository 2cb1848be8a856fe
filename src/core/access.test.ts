import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  isSuperuser,
  matchesPattern,
  maySeeRoom,
  mayUseJob,
  mayUseRoom,
  mayWrite,
  type Principal,
  requireJob,
  requireRoom,
  requireRoomInSight,
  requireSuperuser,
  requireWrite,
} from "./access.ts";
import { Problem } from "./problem.ts";

function someone(about: Partial<Principal> = {}): Principal {
  return { user: "ada", role: "user", rooms: null, jobs: null, token: null, ...about };
}

const [admin, user, viewer] = [someone({ role: "admin" }), someone(), someone({ role: "viewer" })];

test("an admin is a superuser, and all but viewers may write", () => {
  assert.deepEqual([admin, user, viewer].map(isSuperuser), [true, false, false]);
  assert.deepEqual([admin, user, viewer].map(mayWrite), [true, true, false]);
});

test("a token without limits sees every room and uses every job; a viewer's only sees", () => {
  for (const room of ["a", "@global", "@internal"]) {
    assert(maySeeRoom(viewer, room) && mayUseRoom(user, room));
    assert.equal(mayUseRoom(viewer, room), false);
    assert(mayUseJob(user, `${room}:modifiers:Rotate`));
  }
});

test("a token with rooms sees them and the reserved ones, and writes to them alone", () => {
  const limited = someone({ rooms: ["a", "b"] });
  assert.deepEqual(
    ["a", "b", "c", "A", "", "@global", "@internal"].map((room) => maySeeRoom(limited, room)),
    [true, true, false, false, false, true, true],
  );
  assert.deepEqual(
    ["a", "b", "c", "@global", "@internal"].map((room) => mayUseRoom(limited, room)),
    [true, true, false, false, false],
  );
  assert(mayUseRoom(someone({ rooms: ["@global"] }), "@global"));
  assert.equal(mayUseRoom(someone({ role: "viewer", rooms: ["a"] }), "a"), false);
  assert.equal(mayUseRoom(someone({ role: "admin", rooms: ["a"] }), "b"), false, "a limit holds for an admin too");
});

test("a token with no room at all sees the reserved ones and writes to none", () => {
  const none = someone({ rooms: [] });
  assert.deepEqual(
    [maySeeRoom(none, "@global"), maySeeRoom(none, "a"), mayUseRoom(none, "@global")],
    [true, false, false],
  );
  assert.equal(mayUseJob(someone({ jobs: [] }), "@global:modifiers:Rotate"), false);
});

test("a job of a room out of sight may not be used, whatever the patterns say", () => {
  const limited = someone({ rooms: ["a"], jobs: ["*"] });
  assert(mayUseJob(limited, "a:modifiers:Rotate") && mayUseJob(limited, "@global:modifiers:Rotate"));
  assert.equal(mayUseJob(limited, "b:modifiers:Rotate"), false);
  assert.equal(mayUseJob(limited, "nonsense"), false);
});

test("in a pattern a star stands for any characters and nothing else is special", () => {
  const matching = ["@global:*", "*", "**", "*:Rotate", "@global:*:Rotate", "@*:mod*:R*e", "@global:modifiers:Rotate"];
  for (const pattern of [...matching, "*@global:modifiers:Rotate*"]) {
    assert(matchesPattern(pattern, "@global:modifiers:Rotate"), pattern);
  }
  const others = [
    "",
    "@global",
    "@global:",
    "global:*",
    "*:rotate",
    "@global:*:Rotate:*",
    "*Rotate*Rotate",
    ".*:Rotate",
  ];
  for (const pattern of [...others, "@global:modifiers:Rotat?", "@global:modifiers:[R]otate"]) {
    assert.equal(matchesPattern(pattern, "@global:modifiers:Rotate"), false, pattern);
  }
  assert(matchesPattern("", ""));
  assert.equal(matchesPattern("ab*ba", "aba"), false, "the two ends do not share characters");
  assert(matchesPattern("a*\n*b", "a\n\nb"));
});

test("a pattern matches exactly what the regular expression of the same meaning matches", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", ":", "."), maxLength: 12 });
  const pattern = fc.string({ unit: fc.constantFrom("a", "b", ":", ".", "*"), maxLength: 8 });
  fc.assert(
    fc.property(pattern, text, (given, name) => {
      const expression = given.replaceAll(".", "\\.").replaceAll(/\*+/g, "[^]*");
      assert.equal(matchesPattern(given, name), new RegExp(`^${expression}$`).test(name));
    }),
    { numRuns: 2_000 },
  );
});

test("a pattern of many stars takes no longer than it is long", () => {
  assert.equal(matchesPattern(`${"a*".repeat(50_000)}b`, "a".repeat(100_000)), false);
});

test("whatever its limits, a token writes only where it sees", () => {
  const names = fc.constantFrom("a", "b", "@global", "@internal");
  const limits = fc.option(fc.uniqueArray(names), { nil: null });
  const role = fc.constantFrom("admin", "user", "viewer" as const);
  fc.assert(
    fc.property(role, limits, names, (given, rooms, room) => {
      const principal = someone({ role: given as Principal["role"], rooms });
      if (mayUseRoom(principal, room)) assert(maySeeRoom(principal, room) && mayWrite(principal));
    }),
  );
});

test("what is not allowed is a 403 that says why", () => {
  const limited = someone({ rooms: ["a"], jobs: ["a:*"] });
  const refused: [() => void, RegExp][] = [
    [() => requireSuperuser(user), /superuser/],
    [() => requireWrite(viewer), /viewer/],
    [() => requireRoom(viewer, "a"), /viewer/],
    [() => requireRoom(limited, "b"), /may not write to room 'b'/],
    [() => requireRoomInSight(limited, "b"), /not for room 'b'/],
    [() => requireJob(limited, "@global:modifiers:Rotate"), /not for job '@global:modifiers:Rotate'/],
  ];
  for (const [act, why] of refused) {
    assert.throws(act, (error) => error instanceof Problem && error.code === "forbidden" && why.test(error.message));
  }
  requireSuperuser(admin);
  requireWrite(user);
  requireRoom(limited, "a");
  requireRoomInSight(limited, "@global");
  requireJob(limited, "a:modifiers:Rotate");
});
