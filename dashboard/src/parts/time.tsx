import { useSyncExternalStore } from "react";
import { ago, howLong } from "./text.ts";
import style from "./time.module.css";

let now = Date.now();
const watchers = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | null = null;

/** One clock for all that is on the screen. */
function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  // It stood still while nobody looked.
  if (timer === null) now = Date.now();
  timer ??= setInterval(tick, 1_000);
  return () => {
    watchers.delete(watcher);
    if (watchers.size === 0 && timer !== null) {
      clearInterval(timer);
      timer = null;
    }
  };
}

function tick(): void {
  now = Date.now();
  for (const watcher of watchers) watcher();
}

export function useNow(): number {
  return useSyncExternalStore(watch, () => now);
}

/** How long ago; the exact time is a glance away. */
export function Ago({ at }: { readonly at: string | null | undefined }) {
  const current = useNow();
  if (!at) return <span>–</span>;
  return (
    <time dateTime={at} className={style.time} title={new Date(at).toLocaleString()}>
      {ago(at, Math.max(current, Date.now() - 1_000))}
    </time>
  );
}

/** How long it has lasted; when it began is a glance away. */
export function HowLong({ since }: { readonly since: string | null | undefined }) {
  const current = useNow();
  if (!since) return <span>–</span>;
  return (
    <time dateTime={since} className={style.time} title={`since ${new Date(since).toLocaleString()}`}>
      {howLong(since, Math.max(current, Date.now() - 1_000))}
    </time>
  );
}
