// A list of tasks that may be a million long, of which a few thousand are in memory. Pages that are far from the eye are let
// go and asked for again by their cursor; how many rows they had is kept, so that nothing moves. What happens to tasks in
// between is written onto their rows; what is new on top is looked for and shown, or only counted.

import type { TaskChange } from "../../live/task-change.ts";
import { pageRows, type TaskItem, type TaskPage } from "./task-item.ts";
import { changed, isUnread, type Part, reaches } from "./task-part.ts";

export interface PagesView {
  /** Known so far. */
  readonly rows: number;
  readonly loading: boolean;
  readonly error: unknown;
  /** Whether there may be more below, and whether somebody has to ask for it. */
  readonly more: "none" | "soon" | "ask";
  readonly scannedThrough: string | null;
  /** On top, not yet shown. */
  readonly fresh: number;
  readonly freshExact: boolean;
}

type Fetch = (cursor: string | null, signal: AbortSignal) => Promise<TaskPage>;

const partsKept = 30;
const changesKept = 2_000;
/** So many rows before the end more is asked for; whoever is at the top sees none of these, and causes one question. */
const ahead = 40;
/** A search that was cut short so often without finding anything goes on only when somebody says so. */
const emptyLooks = 20;

const empty: PagesView = {
  ...{ rows: 0, loading: true, error: null, more: "none" },
  ...{ scannedThrough: null, fresh: 0, freshExact: true },
};

export class TaskPages {
  readonly #fetch: Fetch;
  #parts: Part[] = [];
  #view: PagesView = empty;
  #abort = new AbortController();
  #busy: Part | "next" | null = null;
  #looking = false;
  /** Whoever wants to see what is on top while it is looked for is shown it after that. */
  #wanted = false;
  #seen: readonly [number, number] = [0, 0];
  /** How far down it was scrolled when it was last seen. */
  scrolledTo = 0;
  readonly #changes = new Map<string, { readonly change: TaskChange; readonly at: number }>();
  readonly #watchers = new Set<() => void>();

  constructor(fetch: Fetch) {
    this.#fetch = fetch;
  }

  readonly view = (): PagesView => this.#view;

  readonly watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  start(): void {
    if (this.#parts.length === 0) void this.goOn();
  }

  /** Nobody looks at it any more, nor tells us what happens to its rows. */
  leave(): void {
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#busy = null;
    this.#looking = false;
    this.#wanted = false;
    this.#view = { ...this.#view, loading: this.#parts.length === 0 };
    this.#changes.clear();
    this.#outdate();
  }

  /** We were not told everything: what is on the screen is asked for again. */
  missed(): void {
    this.#outdate();
    this.show(...this.#seen);
  }

  rowAt(index: number): TaskItem | undefined {
    const found = this.#partAt(index);
    return found?.part.items?.[index - found.from];
  }

  /** Told which rows are on the screen: loads what is missing there, and what comes next. */
  show(first: number, last: number): void {
    this.#seen = [first, last];
    const unread = [first, last].map((row) => this.#partAt(row)?.part).find(isUnread);
    if (unread) void this.#reload(unread);
    else if (this.#view.more === "soon" && last >= this.#view.rows - ahead && this.#view.error === null)
      void this.goOn();
  }

  /** The next page. */
  async goOn(): Promise<void> {
    const end = this.#parts.at(-1);
    if (this.#busy !== null || (end !== undefined && end.next === null)) return;
    this.#busy = "next";
    this.#tell({ loading: true, error: null });
    const asked = performance.now();
    await this.#guard(async (signal) => {
      const page = await this.#fetch(end?.next ?? null, signal);
      if (this.#parts.at(-1) !== end) return;
      const below = this.#parts.findLast(({ through }) => through !== null)?.through;
      // Each row once, whatever comes: the list finds its rows by their ids.
      const items = below == null ? page.items : page.items.filter(({ id }) => id < below);
      this.#parts.push(this.#partOf({ ...page, items }, end?.next ?? null, asked));
      this.#letGo();
    });
  }

  /** What is on top by now: shown when `replace`, else counted. */
  async look(replace: boolean): Promise<void> {
    const top = this.#parts[0];
    if (top === undefined) return;
    this.#wanted = this.#looking && (this.#wanted || replace);
    if (this.#looking) return;
    this.#looking = true;
    const { signal } = this.#abort;
    const asked = performance.now();
    try {
      const page = await this.#fetch(null, signal);
      if (signal.aborted || this.#parts[0] !== top) return;
      if (replace) this.#replaceTop(top, page, asked);
      else this.#countFresh(top, page, asked);
      this.#tell({ error: null });
    } catch (error) {
      if (!signal.aborted && replace) this.#tell({ error });
    } finally {
      if (!signal.aborted) this.#looking = false;
    }
    if (this.#wanted && !signal.aborted) await this.look(true);
  }

  heard(told: readonly TaskChange[]): void {
    const at = performance.now();
    // Servers tell each other, and the older word may come later.
    const changes = told.filter(({ id, version }) => version > (this.#changes.get(id)?.change.version ?? -1));
    for (const change of changes) {
      this.#changes.delete(change.id);
      this.#changes.set(change.id, { change, at });
    }
    for (const id of this.#changes.keys()) {
      if (this.#changes.size <= changesKept) break;
      this.#changes.delete(id);
    }
    const news = new Map(changes.map((change) => [change.id, change]));
    let touched = false;
    for (const part of this.#parts) {
      if (part.items === null || !part.items.some(({ id }) => news.has(id))) continue;
      part.items = part.items.map((item) => changed(item, news.get(item.id)));
      touched = true;
    }
    if (touched) this.#tell({});
  }

  #replaceTop(top: Part, page: TaskPage, asked: number): void {
    const part = this.#partOf(page, null, asked, top.items ?? []);
    const { through } = top;
    if (reaches(page, through) && top.next !== null) {
      // It goes on as before below its old end: only what is above has changed.
      const items = part.items?.filter(({ id }) => through === null || id >= through) ?? [];
      this.#parts[0] = { ...top, items, count: items.length };
    } else this.#parts = [part];
    this.#tell({ fresh: 0, freshExact: true });
  }

  /** Rows that are there already are as the page has them, and stay where they are. */
  #countFresh(top: Part, page: TaskPage, asked: number): void {
    const newest = top.items?.[0]?.id ?? "";
    const fresh = page.items.filter(({ id }) => id > newest).length;
    const current = new Map(this.#partOf(page, null, asked, top.items ?? []).items?.map((item) => [item.id, item]));
    top.items = top.items?.map((item) => current.get(item.id) ?? item) ?? null;
    this.#tell({ fresh: top.items === null ? this.#view.fresh : fresh, freshExact: fresh < pageRows });
  }

  async #reload(part: Part): Promise<void> {
    if (this.#busy !== null) return;
    this.#busy = part;
    const asked = performance.now();
    await this.#guard(async (signal) => {
      const page = await this.#fetch(part.cursor, signal);
      const at = this.#parts.indexOf(part);
      if (at === -1) return;
      const fresh = this.#partOf(page, part.cursor, asked, part.items ?? []);
      const { through } = part;
      if (at === this.#parts.length - 1 || !reaches(page, through)) {
        // The last one; or so much has come that what was below it is out of reach: the list goes on from here.
        this.#parts.splice(at, this.#parts.length, fresh);
      } else {
        // It may reach further than it did: what is below belongs to the next page.
        const items = fresh.items?.filter(({ id }) => through === null || id >= through) ?? [];
        this.#parts[at] = { ...part, items, count: items.length, old: false };
      }
      if (part.cursor === null) this.#tell({ fresh: 0, freshExact: true });
      this.#letGo();
    });
  }

  async #guard(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { signal } = this.#abort;
    try {
      await work(signal);
      if (signal.aborted) return;
      this.#busy = null;
      this.#tell({ loading: false });
      this.show(...this.#seen);
    } catch (error) {
      if (signal.aborted) return;
      this.#busy = null;
      this.#tell({ loading: false, error });
    }
  }

  /** Rows that did not change stay the same objects, so that they are not drawn again. */
  #partOf(page: TaskPage, cursor: string | null, asked: number, shown: readonly TaskItem[] = []): Part {
    const known = new Map(shown.map((item) => [item.id, item]));
    const items = page.items.map((item) => {
      const late = this.#changes.get(item.id);
      const current = late !== undefined && late.at > asked ? changed(item, late.change) : item;
      const before = known.get(item.id);
      return before !== undefined && JSON.stringify(before) === JSON.stringify(current) ? before : current;
    });
    const { next_cursor: next, scanned_through } = page;
    const scannedThrough = next === null ? null : scanned_through;
    return { cursor, items, count: items.length, through: items.at(-1)?.id ?? null, next, scannedThrough, old: false };
  }

  #outdate(): void {
    // The first page has no cursor of its own: asked for again, it would be that of newer rows. It is looked at instead.
    for (const part of this.#parts.slice(1)) part.old = true;
  }

  #letGo(): void {
    const here = this.#parts.indexOf(this.#partAt(this.#seen[0])?.part as Part);
    for (const [at, part] of this.#parts.entries()) {
      if (Math.abs(at - here) > partsKept / 2 && at < this.#parts.length - 1) part.items = null;
    }
  }

  #partAt(index: number): { readonly part: Part; readonly from: number } | null {
    let from = 0;
    for (const part of this.#parts) {
      if (index < from + part.count) return { part, from };
      from += part.count;
    }
    return null;
  }

  #tell(change: Partial<PagesView>): void {
    const end = this.#parts.at(-1);
    const scannedThrough = end?.scannedThrough ?? null;
    const rows = this.#parts.reduce((sum, { count }) => sum + count, 0);
    const goesOn = scannedThrough === null || (rows === 0 && this.#parts.length < emptyLooks);
    const more = end === undefined || end.next === null ? "none" : goesOn ? "soon" : "ask";
    this.#view = { ...this.#view, rows, more, scannedThrough, ...change };
    for (const watcher of this.#watchers) watcher();
  }
}
