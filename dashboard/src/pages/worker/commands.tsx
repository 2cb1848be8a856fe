import { leadhandCommand } from "../../api/place.ts";
import { useAsk } from "../../api/queries.ts";
import type { Item } from "../../api/routes.ts";
import { useRefresh } from "../../live/use-live.ts";
import { Answered } from "../../parts/answered.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Card } from "../../parts/card.tsx";
import { Empty } from "../../parts/empty.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { duration } from "../../parts/text.ts";
import { Ago, useNow } from "../../parts/time.tsx";
import { saidIn } from "./said.ts";

type Command = Item<"GET /workers/{worker_id}/commands">;

/** What it was told, and what it said to that. */
export function Commands({ id }: { readonly id: string }) {
  const asked = {
    route: "GET /workers/{worker_id}/commands",
    params: { worker_id: id },
    query: { limit: 20 },
  } as const;
  const commands = useAsk(asked, { refetchInterval: 5_000 });
  useRefresh(["workers"], ["GET /workers/{worker_id}/commands"]);
  return (
    <Card flush title="Commands" aside="newest first">
      <Answered of={commands}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="It was told nothing yet" command={leadhandCommand(`workers drain ${id} --note "new kernel"`)}>
              Pauses, drains and new sizes are commands; each stands here with the worker's answer.
            </Empty>
          ) : (
            <Table label="Commands" testId="command-list" rows={items} columns={columns} keyOf={(line) => line.id} />
          )
        }
      </Answered>
    </Card>
  );
}

const columns: readonly Column<Command>[] = [
  { title: "When", show: ({ at }) => <Ago at={at} />, tight: true },
  { title: "Command", show: (command) => <What {...command} /> },
  { title: "By", show: ({ by }) => by, tight: true, minor: true },
  { title: "Note", show: ({ note }) => note ?? "", minor: true },
  { title: "Answer", show: (command) => <Ack command={command} /> },
];

function What({ type, args }: Command) {
  const said = saidIn(args, []);
  return (
    <>
      <strong>{type}</strong> {said}
    </>
  );
}

function Ack({ command: { at, acked_at, ok, detail, delivered_at, expires_at } }: { readonly command: Command }) {
  const now = useNow();
  if (acked_at !== null) {
    const took = duration(Date.parse(acked_at) - Date.parse(at));
    return (
      <>
        <Badge tone={ok === false ? "failed" : "completed"}>{ok === false ? "refused" : "done"}</Badge> after {took}
        {detail === null ? "" : `: ${detail}`}
      </>
    );
  }
  if (expires_at !== null && Date.parse(expires_at) < now) return <Badge tone="cancelled">never answered</Badge>;
  return <Badge tone="pending">{delivered_at === null ? "on its way" : "delivered"}</Badge>;
}
