// What the server's own OpenAPI document says, in a form to make requests by and to judge answers by.

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type Schema = Readonly<Record<string, unknown>>;

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly schema: Schema;
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  /** With braces. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | null;
  /** By status; a null type for an answer without a body. */
  readonly answers: ReadonlyMap<number, { readonly type: string | null; readonly check: ValidateFunction | null }>;
}

// biome-ignore lint/suspicious/noExplicitAny: the document is walked as it comes.
type Loose = any;

export function operationsOf(document: Loose): readonly Operation[] {
  const ajv = new Ajv2020({ strict: false });
  (addFormats as unknown as (to: Ajv2020) => void)(ajv);
  const resolved = (node: Loose): Loose =>
    node.$ref === undefined
      ? node
      : resolved(
          node.$ref
            .slice(2)
            .split("/")
            .reduce((at: Loose, key: string) => at[key], document),
        );

  return Object.entries<Loose>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Loose>(methods).map(([method, said]) => ({
      ...{ id: said.operationId, method: method.toUpperCase(), path, parameters: said.parameters },
      body: said.requestBody?.content["application/json"]?.schema ?? null,
      answers: new Map(
        Object.entries<Loose>(said.responses).map(([status, answer]) => [Number(status), answerOf(answer)]),
      ),
    })),
  );

  function answerOf(answer: Loose): { type: string | null; check: ValidateFunction | null } {
    const [content] = Object.entries<Loose>(resolved(answer).content ?? {});
    if (content === undefined) return { type: null, check: null };
    return { type: content[0], check: ajv.compile(resolved(content[1].schema)) };
  }
}
