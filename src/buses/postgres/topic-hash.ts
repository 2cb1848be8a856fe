// Servers tell each other what they listen to by hashes of 32 bits: 10,000 topics take 53 kB and not 450. Two topics
// with the same hash cost a message that nobody listens to.

/** FNV-1a over UTF-16 code units. */
export function topicHash(topic: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < topic.length; index += 1) {
    hash = Math.imul(hash ^ topic.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

export function packHashes(hashes: Iterable<number>): string {
  const list = [...hashes];
  const bytes = Buffer.alloc(list.length * 4);
  for (const [index, hash] of list.entries()) bytes.writeUInt32LE(hash, index * 4);
  return bytes.toString("base64");
}

export function unpackHashes(text: string): number[] {
  const bytes = Buffer.from(text, "base64");
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readUInt32LE(index * 4));
}
