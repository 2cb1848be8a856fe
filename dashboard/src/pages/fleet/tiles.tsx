import { useVirtualizer, type VirtualItem } from "@tanstack/react-virtual";
import { useCallback, useMemo, useRef } from "react";
import { count, plural } from "../../parts/text.ts";
import { GroupMenu } from "./acts.tsx";
import type { Group } from "./groups.ts";
import { scrollerOf, useRoom } from "./room.ts";
import { countStandings, standings, usageOf } from "./standing.ts";
import { Tile } from "./tile.tsx";
import style from "./tiles.module.css";
import type { Worker } from "./worker.ts";

type Row =
  | { readonly kind: "head"; readonly key: string; readonly groups: readonly Group[] }
  | { readonly kind: "tiles"; readonly key: string; readonly workers: readonly Worker[] };

/** In pixels, as in the style sheet: nothing has to be measured, so nothing jumps. */
const heights = { head: 48, tiles: 156 };

/** Draws only what is in sight, however large the fleet. */
export function Tiles({ groups }: { readonly groups: readonly Group[] }) {
  const place = useRef<HTMLDivElement>(null);
  const { columns, above } = useRoom(place);
  const rows = useMemo(() => rowsOf(groups, columns), [groups, columns]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scrollerOf(place.current),
    estimateSize: (at) => heights[rows[at]?.kind ?? "tiles"],
    getItemKey: useCallback((at: number) => rows[at]?.key ?? at, [rows]),
    overscan: 4,
    scrollMargin: above,
  });
  return (
    <div ref={place} className={style.tiles} style={{ height: virtual.getTotalSize() }} data-testid="fleet-tiles">
      {virtual.getVirtualItems().map((item) => (
        <RowOf key={item.key} row={rows[item.index]} item={item} columns={columns} above={above} />
      ))}
    </div>
  );
}

interface RowProps {
  readonly row: Row | undefined;
  readonly item: VirtualItem;
  readonly columns: number;
  readonly above: number;
}

function RowOf({ row, item, columns, above }: RowProps) {
  if (row === undefined) return null;
  const place = {
    transform: `translateY(${item.start - above}px)`,
    gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
  };
  if (row.kind === "head") {
    return (
      <div className={style.heads} style={place}>
        {row.groups.map((group) => (
          <Head key={group.key} group={group} columns={row.groups.length === 1 ? columns : group.workers.length} />
        ))}
      </div>
    );
  }
  return (
    <div className={style.row} style={place}>
      {row.workers.map((worker) => (
        <Tile key={worker.id} worker={worker} />
      ))}
    </div>
  );
}

function Head({ group, columns }: { readonly group: Group; readonly columns: number }) {
  const { held, slots } = usageOf(group.workers);
  const counts = countStandings(group.workers);
  const unusual = standings.filter((standing) => standing !== "online" && counts[standing] > 0);
  return (
    <div className={style.head} style={{ gridColumn: `span ${columns}` }}>
      <h2 title={group.title}>{group.title}</h2>
      <p>
        {[
          plural(group.workers.length, "worker"),
          `${count(held)}/${count(slots)} slots`,
          ...unusual.map((standing) => `${count(counts[standing])} ${standing}`),
        ].join(" · ")}
      </p>
      <GroupMenu group={group} />
    </div>
  );
}

function rowsOf(groups: readonly Group[], columns: number): readonly Row[] {
  return bandsOf(groups, columns).flatMap((band) => {
    const workers = band.flatMap((group) => group.workers);
    const key = band[0]?.key ?? "";
    const rows: Row[] = band[0]?.title === "" ? [] : [{ kind: "head", key: `head ${key}`, groups: band }];
    for (let at = 0; at < workers.length; at += columns) {
      rows.push({ kind: "tiles", key: `${key} ${at}`, workers: workers.slice(at, at + columns) });
    }
    return rows;
  });
}

/** Small groups stand side by side, as many as fit in a row: one below the other they would leave most of it empty. */
function bandsOf(groups: readonly Group[], columns: number): readonly (readonly Group[])[] {
  const bands: Group[][] = [];
  let room = 0;
  for (const group of groups) {
    const wide = group.workers.length;
    if (wide <= room) bands.at(-1)?.push(group);
    else bands.push([group]);
    room = (wide <= room ? room : columns) - wide;
  }
  return bands;
}
