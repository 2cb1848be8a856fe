import style from "./slots.module.css";
import { slotsOf } from "./standing.ts";
import type { Worker } from "./worker.ts";

/** More than these are no longer counted by eye: a bar says how full it is. */
const blocksMax = 24;

/** The places a worker has: those taken, those free, and those an operator has closed. Bare: without the figures. */
export function Slots({ worker, bare = false }: { readonly worker: Worker; readonly bare?: boolean }) {
  const { held, capacity } = worker;
  const open = slotsOf(worker);
  const all = Math.max(held, open ?? 0, capacity ?? 0);
  const said = open === null ? `${held} held, no limit` : `${held} of ${open} slots taken`;
  return (
    <div className={style.slots} role="img" aria-label={said} title={said}>
      {all > blocksMax ? (
        <Bar held={held} open={open ?? held} />
      ) : (
        Array.from({ length: all }, (_, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a place is its number
          <i key={at} data-kind={at < held ? "taken" : at < (open ?? 0) ? "free" : "closed"} />
        ))
      )}
      {!bare && (
        <span>
          {held}
          <small>/{open ?? "∞"}</small>
        </span>
      )}
    </div>
  );
}

function Bar({ held, open }: { readonly held: number; readonly open: number }) {
  const share = open === 0 ? 0 : Math.min(1, held / open);
  return (
    <b>
      <i style={{ width: `${share * 100}%` }} />
    </b>
  );
}
