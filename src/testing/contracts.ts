// The promises of the ports, for whoever writes a store or a bus. They are tests of node:test, and the store's has random
// histories by fast-check; both are loaded when a contract is called, so that nobody else needs them.

import * as records from "./builders.ts";
import type { BusContractOptions } from "./bus-contract.ts";
import type { MakeStore } from "./store-contract/stage.ts";
import type { ContractOptions } from "./store-contract.ts";

/**
 * Declares the tests that every store has to pass: an example for each boundary, and random histories in which it must
 * answer as the memory store does. For a test file of node:test; needs the package fast-check.
 *
 * @example
 * ```ts
 * import { memoryStore, storeContract } from "leadhand/testing";
 *
 * await storeContract("my store", async () => ({ store: memoryStore(), dispose: async () => {} }));
 * ```
 */
export async function storeContract(name: string, makeStore: MakeStore, options: ContractOptions = {}): Promise<void> {
  const contract = await import("./store-contract.ts");
  contract.storeContract(name, makeStore, options);
}

/**
 * Declares the tests that every bus has to pass. For a test file of node:test.
 *
 * @example
 * ```ts
 * import { busContract, localBus } from "leadhand/testing";
 *
 * await busContract("my bus", { open: () => localBus(console), shared: false });
 * ```
 */
export async function busContract(name: string, options: BusContractOptions): Promise<void> {
  const contract = await import("./bus-contract.ts");
  contract.busContract(name, options);
}

/**
 * Records for tests of stores, complete and valid: a test names only what it is about.
 *
 * @example
 * ```ts
 * import { builders, memoryStore } from "leadhand/testing";
 *
 * const store = memoryStore();
 * await store.amend({}, () => ({ answer: null, jobs: [builders.aJob({ name: "lab:tests:Echo" })] }));
 * ```
 */
export const builders: typeof records = records;
