// Server-sent events, as far as this server sends them: `id`, `event`, `data` on a line each, an empty line after them.

export interface StreamedEvent {
  readonly id: string | null;
  readonly event: string;
  readonly data: string;
}

/** The events of a body that arrives in pieces. */
export async function* eventsOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<StreamedEvent> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const piece of pieces) {
    rest += decoder.decode(piece, { stream: true });
    const blocks = rest.split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = eventOf(block);
      if (event !== null) yield event;
    }
  }
}

/** Null for comments, which only keep the connection open. */
function eventOf(block: string): StreamedEvent | null {
  const fields = new Map<string, string>();
  for (const line of block.split("\n")) {
    const at = line.indexOf(":");
    if (at > 0) fields.set(line.slice(0, at), line.slice(at + 1).replace(/^ /, ""));
  }
  const data = fields.get("data");
  return data === undefined ? null : { id: fields.get("id") ?? null, event: fields.get("event") ?? "message", data };
}
