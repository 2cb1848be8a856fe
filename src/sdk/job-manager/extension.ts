// What a job is in the documents' words: a class whose fields are the payload and whose `run` is the work.

import type { AnySchema } from "../job.ts";

/**
 * The categories every server knows; a server may be set to know others.
 *
 * @example
 * ```ts
 * import { Category, Extension } from "leadhand";
 *
 * export class Count extends Extension {
 *   static readonly category = Category.ANALYSIS;
 *
 *   override run(atoms: readonly unknown[]): number {
 *     return atoms.length;
 *   }
 * }
 * ```
 */
export const Category = { MODIFIER: "modifiers", SELECTION: "selections", ANALYSIS: "analysis" } as const;
export type Category = (typeof Category)[keyof typeof Category];

/**
 * The base of all jobs of a `JobManager`. The class's name is the job's name. Its fields are the payload: a field's
 * first value is its default, and says what may be submitted in its place. For more than that, give the class a
 * `static schema`, which may be of zod, valibot or arktype, or plain JSON Schema.
 *
 * @example
 * ```ts
 * import { Category, Extension } from "leadhand";
 * import { z } from "zod";
 *
 * export class Rotate extends Extension {
 *   static readonly category = Category.MODIFIER;
 *   angle = 0.0;
 *
 *   override run(vis: { rotate(angle: number): void }): void {
 *     vis.rotate(this.angle);
 *   }
 * }
 *
 * export class Crop extends Extension {
 *   static readonly category = Category.MODIFIER;
 *   static readonly schema = z.object({ width: z.int().positive() });
 *   width!: number;
 *
 *   override run(vis: { crop(width: number): void }): void {
 *     vis.crop(this.width);
 *   }
 * }
 * ```
 */
export abstract class Extension {
  /** An instance with some of its fields set, as it is given to `submit`. */
  static with<E extends Extension>(this: new () => E, fields: Partial<Omit<E, "run">>): E {
    return Object.assign(new this(), fields);
  }

  /** Does the work. Called by your own code, so what it is given is up to you. */
  abstract run(vis: unknown, ...more: readonly unknown[]): unknown;
}

/** A class to be registered. */
export interface ExtensionClass<E extends Extension = Extension> {
  new (): E;
  readonly name: string;
  /** One of `Category`, or what else the server allows. */
  readonly category: string;
  readonly schema?: AnySchema<unknown>;
}
