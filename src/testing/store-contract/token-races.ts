import assert from "node:assert/strict";
import { aToken } from "../builders.ts";
import { worldStart } from "../manual-clock.ts";
import { type ExampleAtOnce, numbers, storeOf } from "./at-once.ts";

const now = worldStart + 50;

export function tokenRaces(example: ExampleAtOnce): void {
  example("of all who take one code at once, on any server, one gets it", async (stores, stage) => {
    const code = aToken({ id: "code", kind: "code" });
    await stage.amend({ tokens: [code] });
    const take = async (n: number): Promise<boolean> => {
      const session = aToken({ id: `s${n}`, hash: `${n}`.padStart(64, "a"), kind: "session" });
      const { answer } = await storeOf(stores, n).amend({ tokens: [code.id] }, ({ tokens }) => {
        const found = tokens.get(code.id);
        if (found === undefined || found.revokedAt !== null) return { answer: false };
        return { answer: true, tokens: [{ ...found, revokedAt: now }, session] };
      });
      return answer;
    };
    const taken = await Promise.all(numbers(12).map(take));
    assert.equal(taken.filter((each) => each).length, 1);
    const { total } = await stores[0].read("tokens", { kind: "session", limit: 10, offset: 0 });
    assert.equal(total, 1);
  });
}
