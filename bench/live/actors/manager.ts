// A JobManager with a socket of its own that serves by itself, and says when it began with a task.

import { Extension, JobManager } from "../../../src/sdk/index.ts";
import { monotonicMs } from "../monotonic.ts";
import { say, told, untilLetGo } from "../stage-door.ts";
import type { Started, WorkWords } from "../work-words.ts";

class Deep extends Extension {
  static readonly category = "bench";
  n = 0;
  text = "";

  override run(): object {
    return { ok: true };
  }
}

const { url, token } = told<WorkWords>();
const execute = (): object => {
  say<Started>({ kind: "started", at: monotonicMs() });
  return { ok: true };
};
// A wake-up that was lost is not made up for by a look that happens to come soon.
const pollingInterval = 30;
const manager = new JobManager({ url, token }, {}, { execute, pollingInterval });
untilLetGo(() => manager.disconnect());
await manager.register(Deep);
say({ kind: "ready" });
