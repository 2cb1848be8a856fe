import type { Item } from "../../api/routes.ts";
import { useSession } from "../../api/session.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { useConfirm } from "../../parts/confirm.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Ago, useNow } from "../../parts/time.tsx";
import { useAct } from "../../parts/toast.tsx";
import style from "./admin.module.css";

type Token = Item<"GET /tokens">;

export function TokenTable({ tokens }: { readonly tokens: readonly Token[] }) {
  return <Table label="Tokens" testId="token-list" rows={tokens} columns={columns} keyOf={({ id }) => id} />;
}

const columns: readonly Column<Token>[] = [
  { title: "For", show: (token) => <Whose {...token} /> },
  { title: "Role", show: ({ role }) => <Badge tone={role === "admin" ? "warning" : "pending"}>{role}</Badge> },
  { title: "Rooms", show: ({ rooms }) => <Limits of={rooms} all="every room" />, minor: true },
  { title: "Jobs", show: ({ jobs }) => <Limits of={jobs} all="every job" />, minor: true },
  { title: "Made", show: ({ created_at }) => <Ago at={created_at} />, minor: true, tight: true },
  { title: "Expires", show: (token) => <Good token={token} /> },
  { title: "Revoke", show: (token) => <Revoke token={token} />, number: true },
];

function Whose({ user, name, id, parent_id }: Token) {
  return (
    <>
      <strong>{user}</strong>
      <div className={style.soft}>
        {name ?? (parent_id === null ? "" : "of token ")}
        {name === null && <code title={parent_id ?? id}>{(parent_id ?? id).slice(0, 13)}</code>}
      </div>
    </>
  );
}

function Limits({ of, all }: { readonly of: readonly string[] | null; readonly all: string }) {
  if (of === null) return <span className={style.soft}>{all}</span>;
  return (
    <span className={style.limits}>
      {of.map((limit) => (
        <code key={limit}>{limit}</code>
      ))}
    </span>
  );
}

function isOver({ expires_at, revoked_at }: Token, now: number): boolean {
  return revoked_at !== null || (expires_at !== null && Date.parse(expires_at) <= now);
}

function Good({ token }: { readonly token: Token }) {
  const now = useNow();
  if (token.revoked_at !== null) {
    return (
      <>
        <Badge tone="failed">revoked</Badge> <Ago at={token.revoked_at} />
      </>
    );
  }
  if (isOver(token, now)) return <Badge tone="cancelled">expired</Badge>;
  if (token.expires_at === null) return <span className={style.soft}>never</span>;
  return <Ago at={token.expires_at} />;
}

const afterwards = "Whoever uses it is refused from now on, and sessions that came of it end. It cannot be taken back.";

function Revoke({ token }: { readonly token: Token }) {
  const now = useNow();
  const confirm = useConfirm();
  const { user } = useSession();
  const { act, busy } = useAct<"DELETE /tokens/{token_id}">(["GET /tokens", "GET /audit"]);
  if (isOver(token, now)) return null;
  const what =
    token.kind === "session"
      ? `the session of ${token.user}`
      : `the token ${token.name === null ? "" : `${token.name} `}of ${token.user}`;
  async function revoke(): Promise<void> {
    const sure = await confirm({
      title: `Revoke ${what}?`,
      text: token.user === user ? `${afterwards} It may be what you are logged in with.` : afterwards,
      confirm: "Revoke",
      danger: true,
    });
    const asked = { route: "DELETE /tokens/{token_id}", params: { token_id: token.id } } as const;
    if (sure) await act(asked, `Revoked ${what}`);
  }
  return (
    <Button small kind="danger" disabled={busy} onClick={() => void revoke()} data-testid="token-revoke">
      Revoke
    </Button>
  );
}
