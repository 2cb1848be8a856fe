// What an amendment writes beside tasks and catalog, and lines that stand beside the machine.

import type { ClientBase } from "pg";
import type { WorkerEvent } from "../../ports/records.ts";
import type { Amendment } from "../../ports/store.ts";
import { jsonRows, textArray } from "./arrays.ts";
import { writeAudit } from "./audit.ts";
import { writeCommands } from "./commands.ts";
import { ask, type Statement } from "./statement.ts";
import { writeTokens } from "./tokens.ts";

const upsertOutbox: Statement = {
  name: "upsert_outbox",
  text: `
    insert into outbox (id, kind, key, data, at)
    select id, kind, key, data, at
    from json_to_recordset($1::json) r (id text, kind text, key text, data text, at bigint)
    on conflict (id) do update
    set kind = excluded.kind, key = excluded.key, data = excluded.data, at = excluded.at`,
};

const deleteOutbox: Statement = {
  name: "delete_outbox",
  text: `
    delete from outbox
    where id = any ($1::text[])`,
};

const insertKeys: Statement = {
  name: "insert_keys",
  text: `
    insert into idempotency (scope, key, body_hash, answer, at)
    select scope, key, body_hash, answer, at
    from json_to_recordset($1::json) r (scope text, key text, body_hash text, answer text, at bigint)
    order by scope, key
    on conflict (scope, key) do nothing`,
};

const insertWorkerEvents: Statement = {
  name: "insert_worker_events",
  text: `
    insert into worker_event (worker, at, type, data)
    select worker, at, type, data
    from json_to_recordset($1::json) r (worker text, at bigint, type text, data text)`,
};

export async function writeBeside(
  client: ClientBase,
  {
    outbox = [],
    outboxDone = [],
    keys = [],
    workerEvents = [],
    tokens = [],
    commands = [],
    audit = [],
  }: Amendment<unknown>,
): Promise<void> {
  const items = [...new Map(outbox.map((item) => [item.id, item])).values()];
  // The first answer under a key stays, here too.
  const first = [...new Map(keys.toReversed().map((key) => [JSON.stringify([key.scope, key.key]), key])).values()];
  const records = first.map(({ bodyHash, ...key }) => ({ ...key, body_hash: bodyHash }));
  await Promise.all([
    items.length > 0 ? ask(client, upsertOutbox, [jsonRows(items)]) : null,
    outboxDone.length > 0 ? ask(client, deleteOutbox, [textArray(outboxDone)]) : null,
    records.length > 0 ? ask(client, insertKeys, [jsonRows(records)]) : null,
    writeWorkerEvents(client, workerEvents),
    tokens.length > 0 ? writeTokens(client, tokens) : null,
    commands.length > 0 ? writeCommands(client, commands) : null,
    audit.length > 0 ? writeAudit(client, audit) : null,
  ]);
}

export async function writeWorkerEvents(client: ClientBase, events: readonly WorkerEvent[]): Promise<void> {
  if (events.length > 0) await ask(client, insertWorkerEvents, [jsonRows(events)]);
}
