// What a provider is in the documents' words: a class that answers reads of data that stays where it is.

import type { AnySchema } from "../job.ts";

/**
 * The base of all providers of a `JobManager`.
 *
 * @example
 * ```ts
 * import { readFile } from "node:fs/promises";
 * import { join } from "node:path";
 * import { Provider } from "leadhand";
 *
 * export class Files extends Provider {
 *   static readonly category = "filesystem";
 *   static readonly contentType = "application/octet-stream";
 *
 *   override async read({ name = "" }: Readonly<Record<string, string>>, folder: string): Promise<Uint8Array> {
 *     if (!/^\w+\.txt$/.test(name)) throw new Error("There is no such file");
 *     return readFile(join(folder, name));
 *   }
 * }
 * ```
 */
export abstract class Provider {
  /**
   * Answers one read. `params` are those of the reader's query, all of them text; `handler` is what was given at
   * registration. Where the content type is JSON, what comes back is written as JSON; else it must be bytes or text.
   */
  abstract read(params: Readonly<Record<string, string>>, handler: unknown): unknown;
}

/** A class to be registered. */
export interface ProviderClass {
  new (): Provider;
  readonly category: string;
  /** Of what `read` answers; `application/json` where it is left out. */
  readonly contentType?: string;
  /** What the parameters of a read look like, for those who read. */
  readonly schema?: AnySchema<unknown>;
}

/** Where a provider is registered, and what it answers. */
export interface ProviderOptions {
  /** The last part of the provider's full name. */
  readonly name: string;
  /** Handed to every `read`: a file system, a database, a folder's name. */
  readonly handler?: unknown;
  /** `@global` where it is left out. */
  readonly room?: string;
}

/** What is uploaded. */
export function bytesOf(answer: unknown, contentType: string): Uint8Array {
  if (answer instanceof Uint8Array) return answer;
  if (answer instanceof ArrayBuffer) return new Uint8Array(answer);
  if (isJson(contentType)) return Buffer.from(JSON.stringify(answer ?? null));
  if (typeof answer === "string") return Buffer.from(answer);
  throw new TypeError(`A provider of ${contentType} must answer bytes or text, and it answered ${typeof answer}`);
}

function isJson(contentType: string): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(contentType);
}
