// What happens, as it happens. Events are gathered and handed on a few times a second: a page that is told five hundred
// things a second would otherwise draw five hundred times. While paused, they are only counted.

import { io, type Socket } from "socket.io-client";
import { origin, socketPath } from "../api/place.ts";
import type { TaskChange } from "./task-change.ts";

export interface Happened {
  /** The newest of each task. */
  readonly tasks: readonly TaskChange[];
  readonly workers: ReadonlySet<string>;
  readonly jobs: boolean;
  readonly providers: boolean;
  readonly alerts: boolean;
}

export type FeedState = "connecting" | "live" | "paused" | "lost";

export interface FeedView {
  readonly state: FeedState;
  /** Changes since it was paused. */
  readonly missed: number;
}

type Kind = "jobs" | "providers" | "alerts";
type Listener = (happened: Happened) => void;

/** Often enough to look live, seldom enough to cost little. */
const gatherMs = 250;

/** A server that turned us away is asked again after so long: that may be of the moment. */
const againMs = 5_000;

class Feed {
  #socket: Socket | null = null;
  #view: FeedView = { state: "connecting", missed: 0 };
  #paused = false;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #tasks = new Map<string, TaskChange>();
  #workers = new Set<string>();
  #kinds = new Set<Kind>();
  #followed = new Set<string>();
  #again: ReturnType<typeof setTimeout> | null = null;
  readonly #listeners = new Set<Listener>();
  readonly #watchers = new Set<() => void>();
  readonly #followers = new Map<string, Set<() => void>>();

  readonly view = (): FeedView => this.#view;

  readonly watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  start(): void {
    if (this.#socket) return;
    const socket = io(origin, { path: socketPath, transports: ["websocket", "polling"], withCredentials: true });
    this.#socket = socket;
    socket.on("connect", () => {
      socket.emit("feed_join", {});
      for (const task of this.#followers.keys()) socket.emit("task_follow", { task_id: task });
      this.#show({ state: this.#paused ? "paused" : "live" });
      if (!this.#paused) this.#tellAll();
    });
    const lost = () => {
      this.#show({ state: "lost" });
      // A connection that broke is made anew by itself, one that was refused is not.
      if (!socket.active) this.#again ??= setTimeout(() => this.#connect(), againMs);
    };
    socket.on("disconnect", lost);
    socket.on("connect_error", lost);
    socket.on("task_status_event", (change: TaskChange) => this.#changed(change));
    socket.on("worker_event", ({ worker_id }: { worker_id: string }) =>
      this.#gather(() => this.#workers.add(worker_id)),
    );
    socket.on("worker_alert", () => this.#gather(() => this.#kinds.add("alerts")));
    socket.on("jobs_invalidate", () => this.#gather(() => this.#kinds.add("jobs")));
    socket.on("providers_invalidate", () => this.#gather(() => this.#kinds.add("providers")));
    socket.on("task_progress", ({ id }: { id: string }) => this.#toldOf(id));
    socket.on("task_log", ({ task_id }: { task_id: string }) => this.#toldOf(task_id));
  }

  stop(): void {
    const socket = this.#socket;
    this.#socket = null;
    socket?.disconnect();
    if (this.#again !== null) clearTimeout(this.#again);
    this.#again = null;
  }

  /** Progress and log lines of one task, for as long as somebody looks at it. */
  follow(task: string, onNews: () => void): () => void {
    const followers = this.#followers.get(task) ?? new Set();
    this.#followers.set(task, followers.add(onNews));
    if (followers.size === 1 && this.#socket?.connected) this.#socket.emit("task_follow", { task_id: task });
    return () => {
      followers.delete(onNews);
      if (followers.size > 0) return;
      this.#followers.delete(task);
      this.#socket?.emit("task_unfollow", { task_id: task });
    };
  }

  pause(paused: boolean): void {
    this.#paused = paused;
    const connected = this.#socket?.connected ?? false;
    // What was heard before is older than what will be asked for.
    this.#forget();
    this.#show({ state: paused ? "paused" : connected ? "live" : "lost", missed: 0 });
    if (!paused) this.#tellAll();
  }

  #connect(): void {
    this.#again = null;
    this.#socket?.connect();
  }

  #toldOf(task: string): void {
    if (this.#paused) return;
    this.#followed.add(task);
    this.#soon();
  }

  #changed(change: TaskChange): void {
    this.#gather(() => {
      const known = this.#tasks.get(change.id);
      if (known === undefined || known.version < change.version) this.#tasks.set(change.id, change);
    });
  }

  #gather(note: () => unknown): void {
    if (this.#paused) {
      this.#view = { state: "paused", missed: this.#view.missed + 1 };
    } else note();
    this.#soon();
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      if (this.#paused) this.#tellWatchers();
      else this.#tell();
    }, gatherMs);
  }

  #tell(): void {
    const kinds = this.#kinds;
    const happened: Happened = {
      tasks: [...this.#tasks.values()],
      workers: this.#workers,
      jobs: kinds.has("jobs"),
      providers: kinds.has("providers"),
      alerts: kinds.has("alerts"),
    };
    const followed = this.#followed;
    this.#forget();
    for (const listener of this.#listeners) listener(happened);
    for (const task of followed) for (const follower of this.#followers.get(task) ?? []) follower();
  }

  #forget(): void {
    this.#tasks = new Map();
    this.#workers = new Set();
    this.#kinds = new Set();
    this.#followed = new Set();
  }

  /** Whatever was missed: ask again for everything. */
  #tellAll(): void {
    const all: Happened = { tasks: [], workers: new Set(["*"]), jobs: true, providers: true, alerts: true };
    for (const listener of this.#listeners) listener(all);
  }

  #show(change: Partial<FeedView>): void {
    this.#view = { ...this.#view, ...change };
    if (this.#paused) this.#view = { ...this.#view, state: "paused" };
    this.#tellWatchers();
  }

  #tellWatchers(): void {
    for (const watcher of this.#watchers) watcher();
  }
}

export const feed = new Feed();
