import { Link, useParams } from "@tanstack/react-router";
import { isMissing } from "../../api/problem.ts";
import { useAsk } from "../../api/queries.ts";
import type { Answer, Ask } from "../../api/routes.ts";
import { useFeed, useRefresh } from "../../live/use-live.ts";
import { Answered } from "../../parts/answered.tsx";
import { WorkerState } from "../../parts/badge.tsx";
import { Card } from "../../parts/card.tsx";
import { Page } from "../../parts/page.tsx";
import { FleetActs, WorkerButtons } from "../fleet/acts.tsx";
import { Marks } from "../fleet/tile.tsx";
import { nameOf } from "../fleet/worker.ts";
import { Alerts } from "./alerts.tsx";
import { Commands } from "./commands.tsx";
import { HeartbeatCard } from "./heartbeat.tsx";
import { History } from "./history.tsx";
import { Specs } from "./specs.tsx";
import { About, Now, Orders } from "./standing-cards.tsx";
import { Tasks } from "./tasks.tsx";
import style from "./worker.module.css";

export type WorkerDetail = Answer<"GET /workers/{worker_id}">;

/** One worker: how it is, what it does, and what it was told. */
export function WorkerPage() {
  const { id = "" } = useParams({ strict: false });
  const { state } = useFeed();
  const asked: Ask<"GET /workers/{worker_id}"> = { route: "GET /workers/{worker_id}", params: { worker_id: id } };
  const answer = useAsk(asked, {
    // Never that of another worker: there are buttons that act on it.
    placeholderData: () => undefined,
    refetchInterval: ({ state: { error } }) => (state === "paused" || isMissing(error) ? false : 2_000),
  });
  useRefresh(["workers", "tasks"], ["GET /workers/{worker_id}"]);
  const worker = answer.data;
  const isGone = isMissing(answer.error);
  return (
    <FleetActs>
      <Page
        title={worker === undefined ? "Worker" : nameOf(worker)}
        head={<Head name={isGone ? "not there" : worker && nameOf(worker)} worker={worker} />}
        asked={asked}
        actions={worker && <WorkerButtons worker={worker} />}
        testId="worker"
      >
        {isGone ? (
          <Card title="There is no such worker">
            <p>It has said goodbye, or was silent for too long; its tasks and its audit are still here.</p>
          </Card>
        ) : (
          <Answered of={answer} rows={10}>
            {(known) => <Cards key={known.id} worker={known} />}
          </Answered>
        )}
      </Page>
    </FleetActs>
  );
}

interface HeadProps {
  readonly name: string | undefined;
  readonly worker: WorkerDetail | undefined;
}

function Head({ name, worker }: HeadProps) {
  return (
    <div className={style.head}>
      <Link to="/fleet">Fleet</Link>
      <span aria-hidden="true">/</span>
      <h1>{name ?? "…"}</h1>
      {worker && <WorkerState state={worker.state.toLowerCase()} />}
      {worker && <Marks worker={{ ...worker, state: "ONLINE" }} />}
    </div>
  );
}

function Cards({ worker }: { readonly worker: WorkerDetail }) {
  const { id } = worker;
  return (
    <>
      <Orders worker={worker} />
      <Now worker={worker} />
      {worker.state !== "DELETED" && <HeartbeatCard worker={worker} />}
      <div className={style.columns}>
        <div>
          <Tasks worker={worker} />
          <Specs id={id} />
          <Commands id={id} />
        </div>
        <div>
          <About worker={worker} />
          <Alerts id={id} />
          <History id={id} />
        </div>
      </div>
    </>
  );
}
