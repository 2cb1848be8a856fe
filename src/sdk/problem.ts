// What the server refused, as the server said it.

/** One bad field of a request, by its JSON pointer. */
export interface FieldFault {
  readonly pointer: string;
  readonly detail: string;
}

/** A problem document of RFC 9457. */
export interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail?: string;
  readonly errors?: readonly FieldFault[];
}

/**
 * The server answered, and said no.
 *
 * @example
 * ```ts
 * import { Client, ServerProblem } from "leadhand";
 *
 * const client = new Client({ url: "http://127.0.0.1:7070", token: "lh_…" });
 * try {
 *   await client.submit("@global:modifiers:Rotate", { angle: "left" });
 * } catch (error) {
 *   if (error instanceof ServerProblem && error.code === "invalid-request") console.error(error.errors);
 *   else throw error;
 * }
 * ```
 */
export class ServerProblem extends Error {
  override readonly name = "ServerProblem";
  /** In kebab-case: the last part of the document's `type`. */
  readonly code: string;
  readonly status: number;
  readonly errors: readonly FieldFault[];
  /** How long the server asks to wait before another try; null where it does not say. */
  readonly retryAfterMs: number | null;

  constructor(document: ProblemDocument, retryAfterMs: number | null = null) {
    super(document.detail ?? document.title);
    this.code = document.type.split("/").at(-1) ?? document.type;
    this.status = document.status;
    this.errors = document.errors ?? [];
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * No answer came: whether anything was done is not known.
 *
 * @example
 * ```ts
 * import { Client, ServerUnreachable } from "leadhand";
 *
 * const client = new Client({ url: "http://127.0.0.1:7070", token: "lh_…" });
 * const known = await client.get("01993d6c-7a10-7000-8000-3f5b6c1d2e3f").catch((error: unknown) => {
 *   if (error instanceof ServerUnreachable) return null;
 *   throw error;
 * });
 * console.log(known?.status ?? "not known");
 * ```
 */
export class ServerUnreachable extends Error {
  override readonly name = "ServerUnreachable";
}
