// How much of what a connection said waits to be written. A worker may talk faster than the database writes; where too
// much waits it is not listened to until there is room again, so that it waits at the worker and not in our memory.

export interface Pressure {
  /** Waits for this, which never rejects; `characters` is how long the text in it is. */
  add(characters: number, work: Promise<unknown>): void;
  /** The same for what says by itself when it is written. */
  begin(characters: number): void;
  end(characters: number): void;
  /** Null while there is room; else until there is. */
  relief(): Promise<void> | null;
}

/** More than a worker can have in hand and tell in good faith. */
const entriesMax = 50_000;
const charactersMax = 64 * 1_048_576;

export function pressure(): Pressure {
  let [entries, characters] = [0, 0];
  let relieve: (() => void) | null = null;
  let relief: Promise<void> | null = null;

  const isFull = (part: number): boolean => entries > entriesMax * part || characters > charactersMax * part;

  function begin(length: number): void {
    entries += 1;
    characters += length;
  }

  function end(length: number): void {
    entries -= 1;
    characters -= length;
    if (relieve === null || isFull(1 / 2)) return;
    relieve();
    [relieve, relief] = [null, null];
  }

  return {
    begin,
    end,
    add(length, work) {
      begin(length);
      work.then(() => end(length));
    },
    relief() {
      if (relief === null && isFull(1)) {
        relief = new Promise((resolve) => {
          relieve = resolve;
        });
      }
      return relief;
    },
  };
}
