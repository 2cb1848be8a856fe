// The bus of a server that is alone, and everything that was published on it.

import { type LocalBus, localBus } from "../buses/local/local-bus.ts";

export interface RecordedBus extends LocalBus {
  readonly published: readonly { readonly topic: string; readonly message: string }[];
}

export function recordedBus(): RecordedBus {
  const bus = localBus();
  const published: { readonly topic: string; readonly message: string }[] = [];
  return {
    ...bus,
    published,
    publish(topic, message = "") {
      published.push({ topic, message });
      bus.publish(topic, message);
    },
  };
}
