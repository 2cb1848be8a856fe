// Every refusal is a problem (RFC 9457): one row here, one section in docs/protocol/problems.md.
// Rules throw them where they are broken; only transports turn them into bytes.

interface ProblemKind {
  readonly status: number;
  readonly title: string;
  /** Whether the same request may succeed later without being changed. */
  readonly retry: boolean;
}

export const problems = {
  "invalid-room-id": { status: 400, title: "Bad Request", retry: false },
  "invalid-category": { status: 400, title: "Bad Request", retry: false },
  "invalid-status": { status: 400, title: "Bad Request", retry: false },
  unauthorized: { status: 401, title: "Unauthorized", retry: false },
  forbidden: { status: 403, title: "Forbidden", retry: false },
  "not-found": { status: 404, title: "Not Found", retry: false },
  "job-not-found": { status: 404, title: "Not Found", retry: false },
  "task-not-found": { status: 404, title: "Not Found", retry: false },
  "worker-not-found": { status: 404, title: "Not Found", retry: false },
  "provider-not-found": { status: 404, title: "Not Found", retry: false },
  "act-not-found": { status: 404, title: "Not Found", retry: false },
  "drain-not-found": { status: 404, title: "Not Found", retry: false },
  "failure-not-found": { status: 404, title: "Not Found", retry: false },
  "command-not-found": { status: 404, title: "Not Found", retry: false },
  "token-not-found": { status: 404, title: "Not Found", retry: false },
  "method-not-allowed": { status: 405, title: "Method Not Allowed", retry: false },
  "schema-conflict": { status: 409, title: "Conflict", retry: false },
  "invalid-task-transition": { status: 409, title: "Conflict", retry: false },
  "lease-lost": { status: 409, title: "Conflict", retry: false },
  "lease-token-required": { status: 409, title: "Conflict", retry: false },
  "idempotency-conflict": { status: 409, title: "Conflict", retry: false },
  "parent-closed": { status: 409, title: "Conflict", retry: false },
  "task-open": { status: 409, title: "Conflict", retry: false },
  "spec-in-use": { status: 409, title: "Conflict", retry: false },
  "task-gone": { status: 410, title: "Gone", retry: false },
  "precondition-failed": { status: 412, title: "Precondition Failed", retry: false },
  "payload-too-large": { status: 413, title: "Content Too Large", retry: false },
  "invalid-request": { status: 422, title: "Unprocessable Content", retry: false },
  "upgrade-required": { status: 426, title: "Upgrade Required", retry: false },
  "too-many-pending": { status: 429, title: "Too Many Requests", retry: true },
  "too-many-lanes": { status: 429, title: "Too Many Requests", retry: true },
  "rate-limited": { status: 429, title: "Too Many Requests", retry: true },
  "too-many-connections": { status: 429, title: "Too Many Requests", retry: true },
  "internal-error": { status: 500, title: "Internal Server Error", retry: false },
  "internal-job-not-configured": { status: 503, title: "Service Unavailable", retry: false },
  "store-unavailable": { status: 503, title: "Service Unavailable", retry: true },
  "keys-unavailable": { status: 503, title: "Service Unavailable", retry: true },
  "store-full": { status: 503, title: "Service Unavailable", retry: true },
  "clock-skew": { status: 503, title: "Service Unavailable", retry: true },
  stopping: { status: 503, title: "Service Unavailable", retry: true },
  "provider-timeout": { status: 504, title: "Gateway Timeout", retry: true },
} as const satisfies Record<string, ProblemKind>;

/** What can go wrong, in kebab-case; docs/protocol/problems.md explains each. */
export type ProblemCode = keyof typeof problems;

/** One bad field of a request, by JSON pointer. */
export interface FieldError {
  readonly pointer: string;
  readonly detail: string;
}

export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly errors?: readonly FieldError[];
}

interface ProblemDetails {
  readonly errors?: readonly FieldError[];
  readonly cause?: unknown;
  readonly retryAfterSeconds?: number;
}

/**
 * What was refused, and why. Every door tells it as a problem document of RFC 9457.
 *
 * @example
 * ```ts
 * import { Problem, type Server } from "leadhand/server";
 *
 * export async function cancelQuietly({ operations }: Server, id: string): Promise<void> {
 *   try {
 *     await operations.cancel({ id, actor: "ada" });
 *   } catch (error) {
 *     if (!(error instanceof Problem && error.code === "task-not-found")) throw error;
 *   }
 * }
 * ```
 */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly errors: readonly FieldError[];
  /** How long to wait before the next try, where it is known. */
  readonly retryAfterSeconds: number | null;

  constructor(code: ProblemCode, detail: string, more: ProblemDetails = {}) {
    super(detail, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = "Problem";
    this.code = code;
    this.errors = more.errors ?? [];
    this.retryAfterSeconds = more.retryAfterSeconds ?? null;
  }

  get status(): number {
    return problems[this.code].status;
  }

  get retry(): boolean {
    return problems[this.code].retry;
  }

  toBody(): ProblemBody {
    const { status, title } = problems[this.code];
    const body = { type: `/v1/problems/${this.code}`, title, status, detail: this.message };
    return this.errors.length > 0 ? { ...body, errors: this.errors } : body;
  }
}

/** A refusal of one field, named by its pointer. */
export function badField(pointer: string, detail: string): Problem {
  return new Problem("invalid-request", `${pointer === "" ? "The request" : pointer} ${detail}`, {
    errors: [{ pointer, detail }],
  });
}
