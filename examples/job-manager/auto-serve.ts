// The documents' auto-serve example, line for line.

import { Category, type ClaimedTask, Extension, JobManager } from "leadhand";
import { api, tsio, type Vis, vis } from "./host.ts";

async function myExecute(task: ClaimedTask): Promise<void> {
  await task.extension.run(vis);
}

await using manager = new JobManager(api, tsio, { execute: myExecute });

@manager.register
export class Rotate extends Extension {
  static readonly category = Category.MODIFIER;
  angle = 0.0;

  override run(on: Vis): Promise<void> {
    return on.rotate(this.angle);
  }
}

await manager.wait(); // until SIGINT or SIGTERM

// The socket is the host's, and a program with an open socket does not end.
tsio?.disconnect();
