// Whether a server still hears itself. Announcements are numbered; one that was sent and has not come back a whole look
// later means that its LISTEN is deaf.

export interface Hearing {
  nextProbe(): number;
  sent(probe: number | undefined): void;
  heard(probe: number | undefined): void;
  /** Called at every look. True when something sent before the previous one has not come back. */
  isDeaf(): boolean;
  /** A new connection is not to blame for what the old one missed. */
  reset(): void;
}

export function hearing(): Hearing {
  let probe = 0;
  let lastSent = 0;
  let lastHeard = 0;
  let expected = 0;
  return {
    nextProbe() {
      probe += 1;
      return probe;
    },
    sent(number = 0) {
      lastSent = Math.max(lastSent, number);
    },
    heard(number = 0) {
      lastHeard = Math.max(lastHeard, number);
    },
    isDeaf() {
      const deaf = lastHeard < expected;
      expected = lastSent;
      return deaf;
    },
    reset() {
      lastHeard = Math.max(lastHeard, lastSent);
      expected = 0;
    },
  };
}
