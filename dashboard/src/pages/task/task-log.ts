// The end of a task's log, which grows while one looks, and as much of what came before as one asks for.

import { ask } from "../../api/client.ts";
import type { Item } from "../../api/routes.ts";

export type LogLine = Item<"GET /tasks/{task_id}/logs"> & { readonly nth: number };

export interface LogView {
  readonly lines: readonly LogLine[];
  /** Lines before the first one here. */
  readonly before: number;
  /** There are more below, which have to be asked for. */
  readonly hasNewer: boolean;
  readonly loading: boolean;
  readonly error: unknown;
}

const pageLines = 500;
const linesKept = 3_000;
/** Read in one go; a log of a million lines is not. */
const pagesAtOnce = 4;

export class TaskLog {
  readonly #task: string;
  #view: LogView = { lines: [], before: 0, hasNewer: false, loading: true, error: null };
  #busy = false;
  #again = false;
  #begun = false;
  readonly #watchers = new Set<() => void>();

  constructor(task: string) {
    this.#task = task;
  }

  readonly view = (): LogView => this.#view;

  readonly watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  /** What has been written since. */
  async newer(): Promise<void> {
    this.#again = this.#busy;
    if (this.#busy) return;
    await this.#alone(async () => {
      if (!this.#begun) await this.#begin();
      for (let page = 0; page < pagesAtOnce; page += 1) {
        const { before, lines } = this.#view;
        const added = await this.#read(before + lines.length, pageLines);
        const all = [...lines, ...added];
        const dropped = Math.max(0, all.length - linesKept);
        const hasNewer = added.length === pageLines;
        if (added.length > 0 || !hasNewer)
          this.#tell({ lines: all.slice(dropped), before: before + dropped, hasNewer });
        if (!hasNewer) break;
      }
    });
    if (this.#again) await this.newer();
  }

  async older(): Promise<void> {
    await this.#alone(async () => {
      const { before, lines } = this.#view;
      const from = Math.max(0, before - pageLines);
      const added = await this.#read(from, before - from);
      this.#tell({ lines: [...added, ...lines], before: from });
    });
  }

  async #begin(): Promise<void> {
    const { total } = await this.#page(0, 0);
    this.#begun = true;
    this.#tell({ before: Math.max(0, total - pageLines) });
  }

  async #read(offset: number, limit: number): Promise<readonly LogLine[]> {
    const { items } = await this.#page(offset, limit);
    return items.map((line, at) => ({ ...line, nth: offset + at }));
  }

  #page(offset: number, limit: number) {
    const params = { task_id: this.#task };
    return ask({ route: "GET /tasks/{task_id}/logs", params, query: { limit, offset } });
  }

  /** One at a time: lines come in their order. */
  async #alone(work: () => Promise<void>): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    try {
      await work();
      this.#tell({ loading: false, error: null });
    } catch (error) {
      this.#again = false;
      this.#tell({ loading: false, error });
    } finally {
      this.#busy = false;
    }
  }

  #tell(change: Partial<LogView>): void {
    this.#view = { ...this.#view, ...change };
    for (const watcher of this.#watchers) watcher();
  }
}
