import { Link } from "@tanstack/react-router";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { Card } from "../../parts/card.tsx";
import { Empty } from "../../parts/empty.tsx";
import { ProgressBar } from "../../parts/progress.tsx";
import { count } from "../../parts/text.ts";
import type { Standing } from "../fleet/standing.ts";
import style from "./pulse.module.css";
import type { Pulse } from "./pulse.ts";

/** Named as the filters of Fleet. */
const kinds: readonly (readonly [Standing & keyof Pulse["fleet"], Tone])[] = [
  ["online", "completed"],
  ["unreachable", "warning"],
  ["offline", "failed"],
  ["paused", "warning"],
  ["draining", "running"],
  ["deaf", "failed"],
];

export function FleetCard({ fleet }: { readonly fleet: Pulse["fleet"] }) {
  const total = fleet.online + fleet.unreachable + fleet.offline;
  return (
    <Card title="Fleet" aside={<Link to="/fleet">All workers</Link>}>
      {total === 0 ? (
        <Empty title="No worker is here">
          <Link to="/fleet">How to start one</Link>
        </Empty>
      ) : (
        <>
          <ul className={style.states}>
            {kinds.map(([kind, tone]) => (
              <li key={kind}>
                <Link to="/fleet" search={{ state: kind }} data-testid={`pulse-${kind}`}>
                  {fleet[kind] === 0 ? <span className={style.none}>{kind}</span> : <Badge tone={tone}>{kind}</Badge>}
                  <strong>{count(fleet[kind])}</strong>
                </Link>
              </li>
            ))}
          </ul>
          <ProgressBar
            label="Slots in use"
            current={fleet.held}
            total={Math.max(fleet.capacity, fleet.held, 1)}
            message="slots in use"
          />
        </>
      )}
    </Card>
  );
}
