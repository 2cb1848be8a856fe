/** With a line before it. */
export function printSchema(of: string, schema: Readonly<Record<string, unknown>>): void {
  const isOpen = Object.keys(schema).length === 0;
  console.log(isOpen ? `\n${of}: anything` : `\n${of}, by JSON Schema:\n${JSON.stringify(schema, null, 2)}`);
}
