// What is known of the other servers: which topics each listens to, and when it was last heard of.

import { topicHash, unpackHashes } from "./topic-hash.ts";

interface Peer {
  heardAt: number;
  wants: Set<number>;
}

export interface Peers {
  /** True when the server was not known. */
  heard(node: string, now: number): boolean;
  addWants(node: string, packed: string): void;
  setWants(node: string, packed: string): void;
  want(topic: string): boolean;
  remove(node: string): void;
  /** Drops those not heard of since then. */
  forget(heardBefore: number): void;
  count(): number;
}

export function peers(): Peers {
  const known = new Map<string, Peer>();
  return {
    heard(node, now) {
      const peer = known.get(node);
      if (peer === undefined) known.set(node, { heardAt: now, wants: new Set() });
      else peer.heardAt = now;
      return peer === undefined;
    },
    addWants(node, packed) {
      const wants = known.get(node)?.wants;
      for (const hash of unpackHashes(packed)) wants?.add(hash);
    },
    setWants(node, packed) {
      const peer = known.get(node);
      if (peer !== undefined) peer.wants = new Set(unpackHashes(packed));
    },
    want(topic) {
      // Called for every move of every task: a server that is alone pays nothing.
      if (known.size === 0) return false;
      const hash = topicHash(topic);
      for (const peer of known.values()) if (peer.wants.has(hash)) return true;
      return false;
    },
    remove: (node) => void known.delete(node),
    forget(heardBefore) {
      for (const [node, peer] of known) if (peer.heardAt < heardBefore) known.delete(node);
    },
    count: () => known.size,
  };
}
