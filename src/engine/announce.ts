// Events for whoever looks on: best effort, after the commit, and built only where somebody wants them.

import type { Json } from "../core/checksum.ts";
import type { Place } from "../core/feed.ts";
import type { Bus, Topic } from "../ports/bus.ts";

type EventData = Readonly<Record<string, Json>>;

/** On it everything is told that is told in rooms, once: the JSON text of its place, a new line, and the event. */
export const feedTopic: Topic = "feed";

/** Messages have to fit the wire between servers: where something happened in more rooms, it is told in several. */
const roomsMax = 10;

export function announce(bus: Bus, topic: Topic, event: string, data: EventData = {}): void {
  if (bus.wanted(topic)) bus.publish(topic, JSON.stringify([event, data]));
}

/** To the viewers of these rooms, and to those of the feed. */
export function announceAt(bus: Bus, { rooms, job }: Place, event: string, data: () => EventData = () => ({})): void {
  const topics = rooms.map((room) => `room:${room}`).filter((topic) => bus.wanted(topic));
  const isFed = bus.wanted(feedTopic);
  if (topics.length === 0 && !isFed) return;
  const text = JSON.stringify([event, data()]);
  for (const topic of topics) bus.publish(topic, text);
  if (isFed) feed(bus, { rooms, job }, text);
}

/** To the viewers of the feed alone. */
export function feed(bus: Bus, { rooms, job }: Place, text: string): void {
  for (let at = 0; at === 0 || at < rooms.length; at += roomsMax) {
    const place: Place = { rooms: rooms.slice(at, at + roomsMax), job, ...(at > 0 && { again: true }) };
    bus.publish(feedTopic, `${JSON.stringify(place)}\n${text}`);
  }
}

export function announceProviders(bus: Bus, rooms: Iterable<string>): void {
  const told = [...new Set(rooms)];
  if (told.length > 0) announceAt(bus, { rooms: told, job: null }, "providers_invalidate");
}
