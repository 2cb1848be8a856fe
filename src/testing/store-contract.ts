// The promise of ports/store.ts, as tests. An adapter's test file is one call of this: an example for each boundary, and
// random histories in which the adapter must answer as the memory store does.

import { describe } from "node:test";
import { alertExamples } from "./store-contract/alert-examples.ts";
import { amendExamples } from "./store-contract/amend-examples.ts";
import { catalogExamples } from "./store-contract/catalog-examples.ts";
import { claimExamples } from "./store-contract/claim-examples.ts";
import { concurrentExamples } from "./store-contract/concurrent-examples.ts";
import { depthExamples } from "./store-contract/depth-examples.ts";
import { findExamples } from "./store-contract/find-examples.ts";
import { fleetExamples } from "./store-contract/fleet-examples.ts";
import { type HistoryOptions, randomHistories } from "./store-contract/histories/random-histories.ts";
import { lifeExamples } from "./store-contract/life-examples.ts";
import { limitExamples } from "./store-contract/limit-examples.ts";
import { markExamples } from "./store-contract/mark-examples.ts";
import { messageExamples } from "./store-contract/message-examples.ts";
import { providerExamples } from "./store-contract/provider-examples.ts";
import { providerPlay } from "./store-contract/provider-play.ts";
import { pruneExamples } from "./store-contract/prune-examples.ts";
import { queryExamples } from "./store-contract/query-examples.ts";
import { readExamples } from "./store-contract/read-examples.ts";
import { settleExamples } from "./store-contract/settle-examples.ts";
import { examplesOn, type MakeStore } from "./store-contract/stage.ts";
import { statisticExamples } from "./store-contract/statistic-examples.ts";
import { submitExamples } from "./store-contract/submit-examples.ts";
import { textExamples } from "./store-contract/text-examples.ts";
import { timeExamples } from "./store-contract/time-examples.ts";
import { tokenExamples } from "./store-contract/token-examples.ts";
import { toldExamples } from "./store-contract/told-examples.ts";

/** How much of a contract is played. */
export interface ContractOptions {
  readonly histories?: Partial<HistoryOptions>;
}

const usualHistories: HistoryOptions = { runs: 1_000, length: 60, limitMs: 15_000 };

/** `makeStore` gives an empty store each time; the contract starts and stops it. */
export function storeContract(name: string, makeStore: MakeStore, options: ContractOptions = {}): void {
  const example = examplesOn(makeStore);
  describe(`${name}: life`, () => lifeExamples(makeStore));
  describe(`${name}: submitting`, () => submitExamples(example));
  describe(`${name}: claiming`, () => claimExamples(example));
  describe(`${name}: limited lanes`, () => limitExamples(example));
  describe(`${name}: settling`, () => settleExamples(example));
  describe(`${name}: amending`, () => amendExamples(example));
  describe(`${name}: catalog`, () => catalogExamples(example));
  describe(`${name}: time`, () => timeExamples(example));
  describe(`${name}: finding`, () => findExamples(example));
  describe(`${name}: reading`, () => readExamples(example));
  describe(`${name}: depths`, () => depthExamples(example));
  describe(`${name}: statistics`, () => statisticExamples(example, makeStore));
  describe(`${name}: picking tasks`, () => queryExamples(example));
  describe(`${name}: alerts`, () => alertExamples(example));
  describe(`${name}: pruning`, () => pruneExamples(example));
  describe(`${name}: tokens`, () => tokenExamples(example));
  describe(`${name}: fleet`, () => fleetExamples(example));
  describe(`${name}: told states`, () => toldExamples(example));
  describe(`${name}: providers`, () => {
    providerExamples(example, makeStore);
    providerPlay(makeStore);
  });
  describe(`${name}: messages`, () => messageExamples(example));
  describe(`${name}: marks`, () => markExamples(example));
  describe(`${name}: texts`, () => textExamples(example));
  describe(`${name}: many at once`, () => concurrentExamples(makeStore));
  describe(`${name}: histories`, () => randomHistories(makeStore, { ...usualHistories, ...options.histories }));
}
