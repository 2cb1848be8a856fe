import { badField } from "../../core/problem.ts";
import { isUuid } from "../../core/uuid7.ts";
import type { TaskPage } from "../../engine/desks/task-desk.ts";
import type { Page } from "../../ports/store-reads.ts";
import type { PageOf } from "../../protocol/rest/words.ts";
import type { Answer } from "./call.ts";
import { taskJson } from "./task-json.ts";
import { isoTime } from "./time.ts";

/** Opaque to whoever is handed one: what is behind it may change. */
export function cursorOf(id: string): string {
  return Buffer.from(`${cursorMark}${id}`).toString("base64url");
}

const cursorMark = "t1:";

/** The id behind a cursor; throws where it is none of ours. */
export function idBehind(cursor: string): string {
  const text = Buffer.from(cursor, "base64url").toString();
  const id = text.slice(cursorMark.length);
  if (text.startsWith(cursorMark) && isUuid(id)) return id;
  throw badField("/query/cursor", "must be the next_cursor of an earlier page");
}

export function taskPageAnswer(page: TaskPage, { limit, offset }: PageOf): Answer {
  const items = page.items.map(taskJson).join(",");
  const counts = `"total":${page.total},"total_exact":${page.totalExact},"limit":${limit},"offset":${offset}`;
  const further = {
    next_cursor: page.next === null ? null : cursorOf(page.next),
    scanned_through: isoTime(page.through),
  };
  return { status: 200, json: `{"items":[${items}],${counts},${JSON.stringify(further).slice(1)}` };
}

/** A page of items that are JSON text already. */
export function pageAnswer<T>(page: Page<T>, { limit, offset }: PageOf, itemJson: (item: T) => string): Answer {
  const items = page.items.map(itemJson).join(",");
  const counts = `"total":${page.total},"total_exact":${page.totalExact},"limit":${limit},"offset":${offset}`;
  return { status: 200, json: `{"items":[${items}],${counts}}` };
}
