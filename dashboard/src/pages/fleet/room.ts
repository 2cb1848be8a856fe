import { type RefObject, useLayoutEffect, useState } from "react";

export interface Room {
  readonly columns: number;
  /** How far below the top of what scrolls it begins. */
  readonly above: number;
}

const tileMin = 256;
const gap = 12;

/** How many tiles stand side by side, and where they begin. */
export function useRoom(place: RefObject<HTMLElement | null>): Room {
  const [room, setRoom] = useState<Room>({ columns: 1, above: 0 });
  useLayoutEffect(() => {
    const element = place.current;
    if (element === null) return;
    const measure = () => setRoom((known) => same(known, roomOf(element)));
    measure();
    const sizes = new ResizeObserver(measure);
    sizes.observe(element);
    // What stands above may grow.
    for (const other of element.parentElement?.children ?? []) sizes.observe(other);
    if (element.parentElement) sizes.observe(element.parentElement);
    return () => sizes.disconnect();
  }, [place]);
  return room;
}

function same(known: Room, now: Room): Room {
  return known.columns === now.columns && known.above === now.above ? known : now;
}

function roomOf(element: HTMLElement): Room {
  const scroller = scrollerOf(element);
  const { top, width } = element.getBoundingClientRect();
  const start = scroller === null ? 0 : scroller.getBoundingClientRect().top - scroller.scrollTop;
  return { columns: Math.max(1, Math.floor((width + gap) / (tileMin + gap))), above: Math.round(top - start) };
}

/** What the element scrolls in. */
export function scrollerOf(element: HTMLElement | null): HTMLElement | null {
  for (let at = element?.parentElement ?? null; at !== null; at = at.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(at).overflowY)) return at;
  }
  return null;
}
