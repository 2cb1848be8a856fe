// Examples for the documentation. A test holds them against the schemas.

const uuid = "01993d6c-6c00-7000-8000-0a1b2c3d4e5f";
const job = "01993d6c-7a10-7000-8000-3f5b6c1d2e3f";
const at = "2026-11-15T09:38:36.995Z";

export const registerWords = { name: "lab-1", ipAddress: "10.0.0.7", hostname: "lab-1.example", sdkVersion: "1.0.0" };
export const registered = { uuid, state: "ONLINE", heartbeatIntervalMs: 20_000 };
export const pingWords = { status: { cpuPercent: 12, ramBytes: 73_400_320, loopLagMs: 3 }, blockedMs: 0 };
export const pinged = { uuid, state: "ONLINE", lastPingAt: at };
export const unregistered = { uuid, state: "OFFLINE" };

export const worker = {
  uuid,
  ...{ name: "lab-1", ipAddress: "10.0.0.7", hostname: "lab-1.example", sdkVersion: "1.0.0", profile: "fleet" },
  ...{ state: "ONLINE", registeredAt: at, lastPingAt: at, unregisteredAt: null, deletedAt: null },
};

export const cleared = { deleted: 1, workers: [uuid] };

const blockWords = {
  ...{ package: "fb.neops.io", name: "ping", version: "1.0.0", runOn: "device", fbType: "check" },
  ...{ isPure: true, isIdempotent: true },
  parameterJsonSchema: { type: "object", required: ["host"], properties: { host: { type: "string" } } },
  resultDataJsonSchema: { type: "object" },
};

export const blockRegister = { workerUuid: uuid, functionBlocks: [blockWords] };
export const blocksRegistered = {
  registered: ["fb.neops.io/ping:1.0.0"],
  rejected: [
    {
      id: "fb.neops.io/trace:1.0.0",
      reason: "Function block 'fb.neops.io/trace:1.0.0' is registered with another schema",
    },
  ],
};
export const block = { id: "fb.neops.io/ping:1.0.0", ...blockWords };

const asked = {
  type: "EXECUTE",
  functionBlock: "fb.neops.io/ping:1.0.0",
  parameters: { host: "10.0.0.1" },
  context: {},
};

export const jobCreate = asked;
export const poll = { workerUuid: uuid, max: 1 };
export const polled = { jobs: [{ id: job, ...asked }] };
export const push = { workerUuid: uuid, jobId: job, success: true, resultData: { rttMs: 3 } };
export const pushed = { jobId: job, status: "pushed" };

export const fleetJob = {
  ...{ id: job, ...asked, status: "pushed", workerUuid: uuid, createdAt: at, polledAt: at, pushedAt: at },
  result: { success: true, data: { rttMs: 3 }, error: null },
  failureReason: null,
};
