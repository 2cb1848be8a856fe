// Which of a coordinator's messages have been counted: a bit for each, done or failed, so that a message that comes twice
// counts once. Bits are kept in chunks, each a row of its own: a million of them would be too much to write for every
// message.

import { mergedErrors, type Tally } from "./family.ts";

/** How many messages one chunk has bits for. */
export const chunkBits = 8_192;

/** The bits of messages `chunk * chunkBits` and up. */
export interface MarkChunk {
  readonly task: string;
  readonly chunk: number;
  readonly done: Uint8Array;
  readonly failed: Uint8Array;
}

/** One message's end. */
export interface Mark {
  readonly index: number;
  readonly failed: boolean;
}

/** As it is told: without an index nobody can tell whether it was counted before. */
export interface ToldMark {
  readonly index: number | null;
  readonly failed: boolean;
  readonly error: string | null;
}

export function markKey({ task, chunk }: Pick<MarkChunk, "task" | "chunk">): string {
  return `${task} ${chunk}`;
}

export function chunkOf(index: number): number {
  return Math.floor(index / chunkBits);
}

/** A chunk of which nobody has marked anything. */
export function emptyChunk({ task, chunk }: Pick<MarkChunk, "task" | "chunk">): MarkChunk {
  return { task, chunk, done: noBits, failed: noBits };
}

/**
 * The chunk with these marks, and those of them that count: the first mark of a message does, whatever is said of it
 * later. The very same chunk where none does.
 */
export function marked<M extends Mark>(chunk: MarkChunk, marks: readonly M[]): Marked<M> {
  const first = new Map<number, M>();
  for (const mark of marks) {
    const bit = mark.index - chunk.chunk * chunkBits;
    if (!hasBit(chunk.done, bit) && !hasBit(chunk.failed, bit) && !first.has(bit)) first.set(bit, mark);
  }
  if (first.size === 0) return { chunk, counted: [] };
  const bits = (failed: boolean) => [...first].flatMap(([bit, mark]) => (mark.failed === failed ? [bit] : []));
  const next = { ...chunk, done: withBits(chunk.done, bits(false)), failed: withBits(chunk.failed, bits(true)) };
  return { chunk: next, counted: [...first.values()] };
}

export interface Marked<M> {
  readonly chunk: MarkChunk;
  readonly counted: readonly M[];
}

export interface Tallied {
  readonly tally: Tally;
  /** Those that have changed. */
  readonly chunks: readonly MarkChunk[];
}

/** What these marks add to the counts of a coordinator whose chunks are known so far, by markKey. */
export function tallied(task: string, known: ReadonlyMap<string, MarkChunk>, marks: readonly ToldMark[]): Tallied {
  const unindexed = marks.filter(({ index }) => index === null);
  const counted: Pick<ToldMark, "failed" | "error">[] = [...unindexed];
  const chunks: MarkChunk[] = [];
  for (const [chunk, own] of byChunk(marks)) {
    const before = known.get(markKey({ task, chunk })) ?? emptyChunk({ task, chunk });
    const after = marked(before, own);
    counted.push(...after.counted);
    if (after.chunk !== before) chunks.push(after.chunk);
  }
  const failures = counted.filter(({ failed }) => failed);
  return { tally: tallyOf(counted.length, unindexed.length, failures), chunks };
}

function tallyOf(count: number, unindexed: number, failures: readonly Pick<ToldMark, "error">[]): Tally {
  const errors = mergedErrors(
    [],
    failures.map(({ error }) => error ?? ""),
  );
  return {
    ...{ done: count - failures.length, failed: failures.length },
    ...(unindexed > 0 && { unindexed: true }),
    ...(errors.length > 0 && { errors }),
  };
}

/** The chunks that these marks concern. */
export function chunksOf(marks: readonly ToldMark[]): readonly number[] {
  return [...byChunk(marks).keys()];
}

type Indexed = ToldMark & Mark;

function byChunk(marks: readonly ToldMark[]): ReadonlyMap<number, readonly Indexed[]> {
  const chunks = new Map<number, Indexed[]>();
  for (const mark of marks) {
    if (mark.index === null) continue;
    const own = chunks.get(chunkOf(mark.index)) ?? [];
    own.push(mark as Indexed);
    chunks.set(chunkOf(mark.index), own);
  }
  return chunks;
}

/** Whether a message has been counted, as far as these chunks, by markKey, know. */
export function isMarked(task: string, known: ReadonlyMap<string, MarkChunk>, index: number): boolean {
  const chunk = known.get(markKey({ task, chunk: chunkOf(index) }));
  if (chunk === undefined) return false;
  const bit = index - chunk.chunk * chunkBits;
  return hasBit(chunk.done, bit) || hasBit(chunk.failed, bit);
}

/**
 * Where the first mark stands that names a part which does not exist; -1 where none does. Its bit would end a coordinator
 * whose parts are not done.
 */
export function strayMark(total: number | null, marks: readonly Pick<ToldMark, "index">[]): number {
  return total === null ? -1 : marks.findIndex(({ index }) => index !== null && index >= total);
}

/** How many bits are set. */
export function population(bits: Uint8Array): number {
  let count = 0;
  for (const byte of bits) for (let rest = byte; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

const noBits = new Uint8Array();

function hasBit(bits: Uint8Array, bit: number): boolean {
  return (((bits[bit >> 3] ?? 0) >> (bit & 7)) & 1) === 1;
}

/** As long as its last bit asks for: most coordinators have few messages. */
function withBits(bits: Uint8Array, added: readonly number[]): Uint8Array {
  if (added.length === 0) return bits;
  let length = bits.length;
  for (const bit of added) length = Math.max(length, (bit >> 3) + 1);
  const next = new Uint8Array(length);
  next.set(bits);
  for (const bit of added) next[bit >> 3] = (next[bit >> 3] as number) | (1 << (bit & 7));
  return next;
}
