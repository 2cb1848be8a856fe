// The windows of time that statistics are asked for, and the steps they are shown in.

import { hourMs, minuteMs } from "./statistics.ts";

export const windowNames = ["15m", "1h", "6h", "24h", "7d", "30d"] as const;
export type WindowName = (typeof windowNames)[number];

const day = 24 * hourMs;

const sizes = {
  "15m": { windowMs: 15 * minuteMs, stepMs: minuteMs },
  "1h": { windowMs: hourMs, stepMs: minuteMs },
  "6h": { windowMs: 6 * hourMs, stepMs: 5 * minuteMs },
  "24h": { windowMs: day, stepMs: 15 * minuteMs },
  "7d": { windowMs: 7 * day, stepMs: 3 * hourMs },
  "30d": { windowMs: 30 * day, stepMs: 12 * hourMs },
} as const satisfies Record<WindowName, { readonly windowMs: number; readonly stepMs: number }>;

/** A stretch of time from `since` to before `until`, in parts of the same width. */
export interface Span {
  readonly since: number;
  readonly until: number;
  readonly widthMs: number;
  /** Which of the two counts are kept of it: those of minutes, or those of hours. */
  readonly keptMs: number;
}

/** In whole steps, of which the last has begun and is not over. */
export function steppedSpan(window: WindowName, now: number): Span {
  const { windowMs, stepMs } = sizes[window];
  const until = now - (now % stepMs) + stepMs;
  return { since: until - windowMs, until, widthMs: stepMs, keptMs: keptMs(stepMs) };
}

export const trendLength = 24;

/** In 24 parts of the same width, up to the end of the minute or hour that has begun. */
export function trendSpan(window: WindowName, now: number): Span {
  const { windowMs } = sizes[window];
  const widthMs = windowMs / trendLength;
  const kept = keptMs(widthMs);
  const until = now - (now % kept) + kept;
  return { since: until - windowMs, until, widthMs, keptMs: kept };
}

/** Hours are sixty times fewer than minutes, so they are read wherever they will do. */
function keptMs(widthMs: number): number {
  return widthMs < hourMs ? minuteMs : hourMs;
}

/** In which part of the span a time is, from 0. */
export function partOf({ since, widthMs }: Pick<Span, "since" | "widthMs">, at: number): number {
  return Math.floor((at - since) / widthMs);
}

export function partsOf({ since, until, widthMs }: Pick<Span, "since" | "until" | "widthMs">): number {
  return Math.round((until - since) / widthMs);
}
