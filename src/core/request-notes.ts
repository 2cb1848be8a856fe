// Requests that count, by the keys under which they came: one whose answer was lost is sent again, and counts once. They are
// noted beside the marks, in chunks that no message's index reaches, so that they are written with the count, read under
// the same lock, and go with their task.

import { emptyChunk, type MarkChunk, markKey } from "./marks.ts";

/** What is noted of a request: digests of its key, with whose it is, and of its body. Of 16 bytes each. */
export interface RequestNote {
  readonly key: Uint8Array;
  readonly body: Uint8Array;
}

export interface RequestNotes {
  /** "other" is one that came under the same key with another body. */
  standing(note: RequestNote): "new" | "same" | "other";
  add(note: RequestNote): void;
  /** Those that have changed. */
  chunks(): readonly MarkChunk[];
}

const digestBytes = 16;
/** Beyond all that indexes reach. */
const chunkMin = 2 ** 30;

export function noteChunk({ key }: RequestNote): number {
  return chunkMin + (new DataView(key.buffer, key.byteOffset).getUint32(0) >>> 2);
}

/** `known` are chunks as they were read, by markKey. */
export function requestNotes(task: string, known: ReadonlyMap<string, MarkChunk>): RequestNotes {
  const changed = new Map<string, MarkChunk>();

  function chunkFor(note: RequestNote): MarkChunk {
    const place = { task, chunk: noteChunk(note) };
    return changed.get(markKey(place)) ?? known.get(markKey(place)) ?? emptyChunk(place);
  }

  return {
    standing(note) {
      const { done: keys, failed: bodies } = chunkFor(note);
      for (let at = 0; at < keys.length; at += digestBytes) {
        if (hasAt(keys, at, note.key)) return hasAt(bodies, at, note.body) ? "same" : "other";
      }
      return "new";
    },
    add(note) {
      const chunk = chunkFor(note);
      const [done, failed] = [joined(chunk.done, note.key), joined(chunk.failed, note.body)];
      changed.set(markKey(chunk), { ...chunk, done, failed });
    },
    chunks: () => [...changed.values()],
  };
}

function hasAt(bytes: Uint8Array, at: number, digest: Uint8Array): boolean {
  return digest.every((byte, nth) => bytes[at + nth] === byte);
}

function joined(bytes: Uint8Array, digest: Uint8Array): Uint8Array {
  const next = new Uint8Array(bytes.length + digestBytes);
  next.set(bytes);
  next.set(digest.subarray(0, digestBytes), bytes.length);
  return next;
}
