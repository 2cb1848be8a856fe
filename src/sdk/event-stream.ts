// Server-sent events, read as they come.

export interface ServerEvent {
  readonly id: string | null;
  readonly event: string;
  readonly data: string;
}

/** "still" for a comment: nothing has happened, but the connection lives. */
export async function* serverEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent | "still"> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    // Each event ends with an empty line; what comes after the last one is not whole yet.
    const blocks = text.split(/\r?\n\r?\n/);
    text = blocks.pop() ?? "";
    for (const block of blocks) yield eventOf(block);
  }
}

function eventOf(block: string): ServerEvent | "still" {
  const lines = block.split(/\r?\n/);
  const valuesOf = (field: string): string[] =>
    lines.filter((line) => line.startsWith(`${field}:`)).map((line) => line.slice(field.length + 1).replace(/^ /, ""));
  const data = valuesOf("data");
  if (data.length === 0) return "still";
  return { id: valuesOf("id")[0] ?? null, event: valuesOf("event")[0] ?? "message", data: data.join("\n") };
}
