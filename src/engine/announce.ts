// Events for whoever looks on: best effort, after the commit, and built only where somebody wants them.

import type { Json } from "../core/checksum.ts";
import type { Bus, Topic } from "../ports/bus.ts";

export function announce(bus: Bus, topic: Topic, event: string, data: Readonly<Record<string, Json>> = {}): void {
  if (bus.wanted(topic)) bus.publish(topic, JSON.stringify([event, data]));
}

export function announceProviders(bus: Bus, rooms: Iterable<string>): void {
  for (const room of new Set(rooms)) announce(bus, `room:${room}`, "providers_invalidate");
}
