// The door `leadhand/testing`: a server whose clock you move, handlers without a server, and the contracts of the ports for
// whoever writes a store or a bus. No test runner and no fast-check is loaded before a contract is called.

export { localBus } from "../buses/local/local-bus.ts";
export type { Bus } from "../ports/bus.ts";
export type { Store } from "../ports/store.ts";
export { memoryStore } from "../stores/memory/memory-store.ts";
export type { BusContractOptions } from "./bus-contract.ts";
export { builders, busContract, storeContract } from "./contracts.ts";
export { type JobRun, type RunJobOptions, runJob } from "./run-job.ts";
export type { MakeStore, StoreUnderTest } from "./store-contract/stage.ts";
export type { ContractOptions } from "./store-contract.ts";
export { type TestServer, type TestServerOptions, type TestTokenOptions, testServer } from "./test-server.ts";
export type { TestWorker } from "./test-worker.ts";
