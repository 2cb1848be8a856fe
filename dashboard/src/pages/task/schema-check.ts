// Whether a value is as a schema wants it. Interpreted, not compiled: the page's policy forbids code that was made at run time.

import { useQuery } from "@tanstack/react-query";
import { asCounted } from "../../api/exact-json.ts";

export interface Mark {
  readonly pointer: string;
  readonly detail: string;
}

const marksMax = 20;

/** They only say that something below them is wrong, which is listed itself. */
const umbrellas = new Set(["properties", "items", "prefixItems", "patternProperties", "$ref", "allOf"]);

/** Undefined until it is known; null where the schema is beyond us. */
export function useSchemaCheck(key: string, schema: unknown, value: unknown): readonly Mark[] | null | undefined {
  const { data } = useQuery({
    queryKey: ["schema check", key],
    queryFn: () => marksOf(schema, value),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
    placeholderData: () => undefined,
    gcTime: 30_000,
  });
  return data;
}

async function marksOf(schema: unknown, value: unknown): Promise<readonly Mark[] | null> {
  try {
    const { Validator } = await import("@cfworker/json-schema");
    const { errors } = new Validator(schema as object, "2020-12", false).validate(asCounted(value));
    return errors
      .filter(({ keyword }) => !umbrellas.has(keyword))
      .slice(0, marksMax)
      .map(({ instanceLocation, error }) => ({ pointer: instanceLocation.slice(1) || "/", detail: error }));
  } catch {
    return null;
  }
}
