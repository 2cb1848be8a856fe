// A translated schema into functions, by Ajv. Each schema has an Ajv of its own: one that is shared never forgets what it
// compiled, and lets one schema see the names of another.

import type { Options, ValidateFunction } from "ajv";
import type { FieldError } from "../../core/problem.ts";
import type { Validator } from "../../ports/schemas.ts";
import { fieldErrors } from "./field-errors.ts";
import { compareByHash } from "./same-json.ts";
import type { Dialect } from "./schema-dialects.ts";
import { workKeyword } from "./schema-work.ts";
import type { TranslatedSchema } from "./translate-schema.ts";
import { TooMuchWork, type WorkMeter } from "./work-meter.ts";

/** Enough for a payload of the largest size and an ordinary schema; at worst some tenths of a second. */
const workMax = 10_000_000;
/** Finding all errors instead of the first may make one error per unit. */
const explainWorkMax = 100_000;
/** What a sound schema needs for a trifle. */
const trialWorkMax = 500_000;

export interface CompileParts {
  readonly dialect: Dialect;
  readonly meter: WorkMeter;
  readonly formats: NonNullable<Options["formats"]>;
}

export interface Compiled {
  readonly validate: Validator;
  /** Whether trifles of every type can be checked with little work. */
  isSound(): boolean;
}

/** The verdict comes from a check that stops at the first error; only a refusal pays for finding the others. */
export function compileValidator(translated: TranslatedSchema, parts: CompileParts): Compiled {
  const { meter } = parts;
  const verdict = compiled(translated, parts, false);
  let explain: ValidateFunction | undefined;

  function validate(payload: unknown, share = 1): readonly FieldError[] {
    const fits = within(workMax * share, verdict, payload);
    if (fits === undefined)
      return [{ pointer: "", detail: "cannot be checked against the schema: it takes too much work" }];
    if (fits) return [];
    const first = fieldErrors(verdict.errors ?? []);
    const explained = within(
      explainWorkMax * share,
      (each) => {
        explain ??= compiled(translated, parts, true);
        return explain(each);
      },
      payload,
    );
    return explained === false ? fieldErrors(explain?.errors ?? []) : first;
  }

  function within(units: number, check: (payload: unknown) => boolean, payload: unknown): boolean | undefined {
    meter.allow(units);
    try {
      return check(payload);
    } catch (error) {
      // References that lead in a circle, or very deep, end on the stack before they end on the meter. And what Ajv makes
      // of `unevaluatedProperties` below `oneOf` reads from undefined at times, when it collects all errors.
      if ([TooMuchWork, RangeError, TypeError].some((kind) => error instanceof kind)) return undefined;
      throw error;
    }
  }

  const isSound = () =>
    [null, false, 0, "", [], {}].every((trifle) => within(trialWorkMax, verdict, trifle) !== undefined);
  return { validate, isSound };
}

function compiled({ schema, patterns }: TranslatedSchema, parts: CompileParts, allErrors: boolean): ValidateFunction {
  const regExp = Object.assign((source: string) => patterns.get(source) as unknown as RegExp, { code: "linear" });
  const ajv = parts.dialect.create({
    strict: false,
    logger: false,
    allErrors,
    meta: false,
    validateSchema: false,
    addUsedSchema: false,
    inlineRefs: false,
    // A payload has the members it was sent with, and not those of every object.
    ownProperties: true,
    formats: parts.formats,
    // Polishing the code of a large schema takes longer than it ever saves.
    code: { regExp, optimize: false },
  });
  compareByHash(ajv, parts.meter);
  ajv.addKeyword(workKeyword(parts.meter));
  return ajv.compile(schema);
}
