import { useState } from "react";
import { leadhandCommand } from "../../api/place.ts";
import { useAsk } from "../../api/queries.ts";
import type { Ask } from "../../api/routes.ts";
import { useMay } from "../../api/session.ts";
import { Answered } from "../../parts/answered.tsx";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Choice } from "../../parts/field.tsx";
import { Page } from "../../parts/page.tsx";
import { Pager } from "../../parts/pager.tsx";
import { useFilterText, useSearchText } from "../../shell/search.ts";
import { NewToken } from "./new-token.tsx";
import { TokenTable } from "./token-table.tsx";

const views = ["tokens", "sessions"] as const;

const pageSize = 100;

/** Who may speak to the server, and for what. */
export function AdminPage() {
  const may = useMay();
  const [said, setView] = useFilterText("view", "tokens");
  const [offset, setOffset] = useSearchText("offset", "0");
  const [making, setMaking] = useState(false);
  const view = views.find((known) => known === said) ?? "tokens";
  const kind = view === "sessions" ? "session" : "api";
  const query = { kind, limit: pageSize, offset: Number(offset) || 0 } as const;
  const asked: Ask<"GET /tokens"> = { route: "GET /tokens", query };
  // Nobody is told of tokens that others make or revoke.
  const tokens = useAsk(asked, { enabled: may.administer, refetchInterval: 5_000 });
  const make = (
    <Button kind="main" onClick={() => setMaking(true)} data-testid="new-token">
      New token
    </Button>
  );
  return (
    <Page title="Admin" asked={asked} testId="admin" actions={may.administer && make}>
      <Card
        flush
        title={view === "tokens" ? "Tokens" : "Sessions"}
        aside={<Choice label="What to list" value={view} options={views} onChange={setView} />}
      >
        {may.administer ? (
          <Answered of={tokens}>
            {(page) =>
              page.items.length === 0 ? (
                <Nothing view={view} />
              ) : (
                <>
                  <TokenTable tokens={page.items} />
                  <Pager page={page} onOffset={(next) => setOffset(String(next))} />
                </>
              )
            }
          </Answered>
        ) : (
          <Empty title="For superusers">Tokens are made and revoked by admins alone.</Empty>
        )}
      </Card>
      {making && <NewToken onClose={() => setMaking(false)} />}
    </Page>
  );
}

function Nothing({ view }: { readonly view: (typeof views)[number] }) {
  if (view === "sessions") {
    return (
      <Empty title="Nobody is logged in with a browser" command={leadhandCommand("open")}>
        A session begins with a token or with a link that is good for once, and ends after twelve hours.
      </Empty>
    );
  }
  return (
    <Empty title="There is no token" command="npx leadhand token create --user ada --role user --rooms lab">
      Every program and every person has one, limited to what they need.
    </Empty>
  );
}
