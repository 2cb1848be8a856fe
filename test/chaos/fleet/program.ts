// One worker of the fleet, by the door it is told, until it is killed. A door's own libraries are loaded for it alone.

import type { Orders } from "./words.ts";

const orders = JSON.parse(process.argv[2] ?? "{}") as Orders;

async function run(): Promise<void> {
  switch (orders.door) {
    case "work":
    case "rest":
    case "sdk-fleet":
      return (await import("./sdk-worker.ts")).sdkWorker(orders);
    case "manager":
      return (await import("./sdk-worker.ts")).manager(orders);
    case "socket":
      return (await import("./socket-worker.ts")).socketWorker(orders);
    case "curl":
      return (await import("./curl-worker.ts")).curlWorker(orders);
    case "fleet":
      return (await import("./fleet-worker.ts")).fleetWorker(orders);
    case "target":
      return (await import("./target.ts")).pushTarget(orders);
  }
}

// Nobody is left to kill it: it must not go on alone.
process.stdin.on("end", () => process.exit(0)).resume();
await run();
process.exit();
