// The three ways to say which class is a job.

import type { ExtensionClass } from "./extension.ts";
import type { RegisterOptions } from "./options.ts";

/**
 * `register` as a call, as a decorator, and as a decorator with options.
 *
 * @example
 * ```ts
 * import { Category, Extension, JobManager } from "leadhand";
 *
 * const manager = new JobManager({ url: "http://127.0.0.1:7070", token: "lh_…" });
 *
 * @manager.register({ room: "lab" })
 * export class Count extends Extension {
 *   static readonly category = Category.ANALYSIS;
 *   override run() {}
 * }
 *
 * await manager.registered();
 * await manager.register(Count, { room: "annex", policy: { onWorkerLost: "requeue" } });
 * ```
 */
export interface Register {
  /** `@manager.register class Rotate extends Extension {…}`. Whether it went well is told by `registered()`. */
  <C extends ExtensionClass>(extension: C, context: ClassDecoratorContext<C>): void;
  /** `await manager.register(Rotate)`. Answers the job's full name. */
  (extension: ExtensionClass, options?: RegisterOptions): Promise<string>;
  /** `@manager.register({ room: "lab" }) class Rotate extends Extension {…}`. */
  (options: RegisterOptions): <C extends ExtensionClass>(extension: C, context: ClassDecoratorContext<C>) => void;
}
