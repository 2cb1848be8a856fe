// Timers of what the document describes by its own times. They are handed in, so that tests move them.

/** Calls back once, not before so many milliseconds; answers what takes it back. */
export type Alarm = (ms: number, ring: () => void) => () => void;

/** The real one, for what a program lives on. */
export const lastingAlarm: Alarm = (ms, ring) => {
  const timer = setTimeout(ring, ms);
  return () => clearTimeout(timer);
};

/** The real one. It keeps no program from ending. */
export const realAlarm: Alarm = (ms, ring) => {
  const timer = setTimeout(ring, ms).unref();
  return () => clearTimeout(timer);
};
