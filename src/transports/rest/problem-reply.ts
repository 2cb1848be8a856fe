import type { FastifyReply } from "fastify";
import { Problem } from "../../core/problem.ts";
import type { Log } from "../../ports/log.ts";

export const problemType = "application/problem+json";

const byCode: Readonly<Record<string, (message: string) => Problem>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => new Problem("payload-too-large", "The body is larger than this server takes"),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => new Problem("invalid-request", "The body is shorter than it says"),
  FST_ERR_BAD_URL: () => new Problem("invalid-request", "The path is not well-formed"),
  FST_ERR_MAX_PARAM_LENGTH: () => new Problem("invalid-request", "The path is too long"),
};

/** Whatever was thrown, as a problem. What nobody foresaw is told to the log alone. */
export function problemOf(error: unknown, log: Log): Problem {
  if (error instanceof Problem) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const known = byCode[code];
  if (known !== undefined) return known(String(error));
  if (isCallersFault(code, error)) return new Problem("invalid-request", "The request is not well-formed");
  log.error("A request failed", { error });
  return new Problem("internal-error", "Something went wrong inside the server");
}

/** The framework has more words for bad requests than we; all of them are the caller's doing. */
function isCallersFault(code: string, error: unknown): boolean {
  const status = (error as { readonly statusCode?: unknown }).statusCode;
  return code.startsWith("FST_ERR_") && typeof status === "number" && status >= 400 && status < 500;
}

export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  const { status, retryAfterSeconds } = problem;
  if (status === 401) reply.header("www-authenticate", "Bearer");
  if (retryAfterSeconds !== null || status === 503) reply.header("retry-after", String(retryAfterSeconds ?? 1));
  // As bytes: to a text the framework would add a charset, which the type does not know.
  return reply
    .code(status)
    .type(problemType)
    .send(Buffer.from(JSON.stringify(problem.toBody())));
}
