// A refusal as the server tells it (RFC 9457), or what stands for one where there was no answer.

export interface FieldError {
  readonly pointer: string;
  readonly detail: string;
}

export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly errors: readonly FieldError[];

  constructor(status: number, code: string, detail: string, errors: readonly FieldError[] = []) {
    super(detail);
    this.name = "Refusal";
    this.status = status;
    this.code = code;
    this.errors = errors;
  }
}

interface ProblemBody {
  readonly type?: string;
  readonly title?: string;
  readonly detail?: string;
  readonly errors?: readonly FieldError[];
}

export async function refusalOf(answer: Response): Promise<Refusal> {
  const body = (await answer.json().catch(() => ({}))) as ProblemBody;
  const code = body.type?.split("/").at(-1) ?? `http-${answer.status}`;
  const detail = body.detail ?? body.title ?? `The server answered ${answer.status}`;
  return new Refusal(answer.status, code, detail, body.errors ?? []);
}

/** What was asked for is not there, or not any more; other refusals may be of the moment. */
export function isMissing(error: unknown): boolean {
  return error instanceof Refusal && error.status === 404;
}

/** What to say above the words of a problem. Whoever only asked has done nothing. */
export function problemTitle(error: unknown): string {
  if (!(error instanceof Refusal) || error.status !== 0) return "The server refused";
  return error.code === "no-answer" ? "No answer: it may be done or not" : "Nothing was done";
}

/** For people: the words, and the fields they are about. */
export function tellProblem(error: unknown): string {
  if (!(error instanceof Refusal)) return error instanceof Error ? error.message : String(error);
  const fields = error.errors.map(({ pointer, detail }) => `${pointer}: ${detail}`).slice(0, 3);
  return [error.message, ...fields].join("\n");
}
