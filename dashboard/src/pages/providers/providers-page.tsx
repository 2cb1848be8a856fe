import { useAsk } from "../../api/queries.ts";
import type { Ask, Item } from "../../api/routes.ts";
import { useMay } from "../../api/session.ts";
import { useRefresh } from "../../live/use-live.ts";
import { Answered } from "../../parts/answered.tsx";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { useConfirm } from "../../parts/confirm.tsx";
import { Page } from "../../parts/page.tsx";
import { Pager } from "../../parts/pager.tsx";
import { useRowKeys } from "../../parts/row-keys.ts";
import { Table } from "../../parts/table.tsx";
import { Ago } from "../../parts/time.tsx";
import { useAct } from "../../parts/toast.tsx";
import { useSearchText } from "../../shell/search.ts";
import { WorkerLink } from "../task/worker-link.tsx";
import { NoProviders } from "./no-providers.tsx";
import { ReadDialog } from "./read-dialog.tsx";

type Provider = Item<"GET /providers">;

/** Who answers reads, and what they answer. */
export function ProvidersPage() {
  const [offset, setOffset] = useSearchText("offset", "0");
  const [reading, setReading] = useSearchText("read");
  const asked: Ask<"GET /providers"> = { route: "GET /providers", query: { limit: 100, offset: Number(offset) || 0 } };
  const providers = useAsk(asked);
  useRowKeys("[data-testid=provider-list] [data-row]");
  useRefresh(["providers"], ["GET /providers"]);
  const isEmpty = providers.data?.items.length === 0;
  const read = providers.data?.items.find(({ id }) => id === reading);
  return (
    <Page title="Providers" asked={asked} testId="providers">
      <Card flush={!isEmpty} title="Registered" aside="Workers that answer reads, in place of files.">
        <Answered of={providers}>
          {(page) =>
            page.items.length === 0 ? (
              <NoProviders />
            ) : (
              <>
                <List providers={page.items} onRead={setReading} />
                <Pager page={page} onOffset={(next) => setOffset(String(next))} />
              </>
            )
          }
        </Answered>
      </Card>
      {read && <ReadDialog provider={read} onClose={() => setReading("")} />}
    </Page>
  );
}

function List({
  providers,
  onRead,
}: {
  readonly providers: readonly Provider[];
  readonly onRead: (id: string) => void;
}) {
  return (
    <Table
      label="Providers"
      testId="provider-list"
      rows={providers}
      keyOf={({ id }) => id}
      columns={[
        { title: "Name", show: ({ full_name }) => <strong>{full_name}</strong>, wide: true },
        { title: "Room", show: ({ room_id }) => room_id, minor: true },
        {
          title: "Worker",
          show: ({ worker_id }) => <WorkerLink id={worker_id} />,
        },
        { title: "Since", show: ({ created_at }) => <Ago at={created_at} />, minor: true },
        { title: "", show: (provider) => <Acts provider={provider} onRead={onRead} />, number: true },
      ]}
    />
  );
}

function Acts({ provider, onRead }: { readonly provider: Provider; readonly onRead: (id: string) => void }) {
  const may = useMay();
  const confirm = useConfirm();
  const { act, busy } = useAct<"DELETE /providers/{provider_id}">(["GET /providers"]);
  async function remove(): Promise<void> {
    const text = "Whoever reads from it is told that it is not there, until its worker registers it again.";
    const sure = await confirm({
      title: `Take back ${provider.full_name}?`,
      text,
      confirm: "Take it back",
      danger: true,
    });
    const asked = { route: "DELETE /providers/{provider_id}", params: { provider_id: provider.id } } as const;
    if (sure) await act(asked, "It was taken back");
  }
  return (
    <>
      <Button small data-row onClick={() => onRead(provider.id)}>
        Read
      </Button>{" "}
      {may.act && (
        <Button small kind="danger" disabled={busy} onClick={() => void remove()}>
          Take back
        </Button>
      )}
    </>
  );
}
