// The documents' example of the manual mode, line for line.

import { Category, Extension, JobManager } from "leadhand";
import { api, tsio, type Vis, vis } from "./host.ts";

await using manager = new JobManager(api, tsio);

@manager.register
export class Rotate extends Extension {
  static readonly category = Category.MODIFIER;
  angle = 0.0;

  override run(on: Vis): Promise<void> {
    return on.rotate(this.angle);
  }
}

for await (const task of manager.listen({ pollingInterval: 2.0 })) {
  await manager.start(task);
  try {
    await task.extension.run(vis);
    await manager.complete(task);
  } catch (error) {
    await manager.fail(task, error);
  }
}
