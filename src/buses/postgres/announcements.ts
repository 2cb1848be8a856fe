// What a server tells the others about itself: topics it has begun to listen to at once, everything now and then.
// Topics that nobody listens to any more are withdrawn only with everything else; many of them come back soon.

import type { Topic } from "../../ports/bus.ts";
import type { Bundle } from "./bundle.ts";
import type { Hearing } from "./hearing.ts";
import { packHashes, topicHash } from "./topic-hash.ts";

export interface Announcements {
  begun(topic: Topic): void;
  /** Announce everything next time. */
  all(): void;
  /** Announce everything, and ask the others to do the same. */
  hello(): void;
  /** What there is to announce now; null for nothing. */
  take(): Bundle | null;
}

export function announcements(topics: () => Iterable<Topic>, ear: Hearing): Announcements {
  const fresh = new Set<number>();
  let everything = false;
  let hello = false;

  return {
    begun: (topic) => void fresh.add(topicHash(topic)),
    all() {
      everything = true;
    },
    hello() {
      everything = true;
      hello = true;
    },
    take() {
      if (!everything && fresh.size === 0) return null;
      const bundle: Bundle = everything
        ? { wantsAll: packHashes(hashesOf(topics())), probe: ear.nextProbe(), ...(hello && { hello: true }) }
        : { wants: packHashes(fresh) };
      fresh.clear();
      everything = false;
      hello = false;
      return bundle;
    },
  };
}

function* hashesOf(topics: Iterable<Topic>): Iterable<number> {
  for (const topic of topics) yield topicHash(topic);
}
