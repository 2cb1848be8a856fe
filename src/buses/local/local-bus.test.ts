import { busContract } from "../../testing/bus-contract.ts";
import { recordedLog } from "../../testing/recorded-log.ts";
import { localBus } from "./local-bus.ts";

busContract("the local bus", { open: () => localBus(recordedLog()), shared: false });
