import { useAsk } from "../../api/queries.ts";
import type { Item } from "../../api/routes.ts";
import { useRefresh } from "../../live/use-live.ts";
import { Answered } from "../../parts/answered.tsx";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { plural } from "../../parts/text.ts";
import { Ago } from "../../parts/time.tsx";
import { useSearchText } from "../../shell/search.ts";
import { saidIn } from "./said.ts";
import style from "./worker.module.css";

type Event = Item<"GET /workers/{worker_id}/events">;

const pageSize = 30;

/** The server tells it oldest first, as it was written; here the newest comes first. */
export function History({ id }: { readonly id: string }) {
  const [shown, setShown] = useSearchText("history", String(pageSize));
  const size = Math.min(500, Math.max(pageSize, Number(shown) || pageSize));
  const of = { route: "GET /workers/{worker_id}/events", params: { worker_id: id } } as const;
  const total = useAsk({ ...of, query: { limit: 0 } });
  const end = total.data?.total ?? 0;
  const events = useAsk(
    { ...of, query: { limit: size, offset: Math.max(0, end - size) } },
    { enabled: total.isSuccess },
  );
  useRefresh(["workers", "alerts"], ["GET /workers/{worker_id}/events"]);
  return (
    <Card title="History" aside={plural(end, "event")}>
      <Answered of={events}>
        {({ items, offset }) => (
          <>
            <ol className={style.timeline} data-testid="worker-history">
              {items
                .map((event, at) => ({ event, number: offset + at }))
                .reverse()
                .map(({ event, number }) => (
                  <Line key={number} event={event} />
                ))}
            </ol>
            {end > size && (
              <Button small onClick={() => setShown(String(size + 100))}>
                Show older
              </Button>
            )}
          </>
        )}
      </Answered>
    </Card>
  );
}

function Line({ event: { at, type, code, data } }: { readonly event: Event }) {
  const word = type.replace(/^worker\./, "");
  const said = saidIn(data, ["code"]);
  return (
    <li data-type={word}>
      <div>
        <strong>{word.replaceAll("_", " ")}</strong>
        <Ago at={at} />
      </div>
      {(code !== null || said !== "") && <p>{[code, said].filter(Boolean).join(" · ")}</p>}
    </li>
  );
}
