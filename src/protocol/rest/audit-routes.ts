import Type from "typebox";
import { auditKinds } from "../../core/audit.ts";
import * as examples from "./examples.ts";
import type { RouteSpec } from "./route.ts";
import { orNull, PageQuery, pageOf, Time } from "./words.ts";

export const AuditLine = Type.Object({
  id: Type.String(),
  at: Time,
  actor: Type.String({ description: "The user who did it." }),
  token_id: orNull(Type.String({ description: "Of the token that was shown." })),
  action: Type.String({ description: "As in `task.cancel`." }),
  kind: Type.String({ description: `What it was done to: ${auditKinds.map((kind) => `\`${kind}\``).join(", ")}.` }),
  target: Type.String({ description: "Its id or name." }),
  note: orNull(Type.String({ description: "Why, in the words of who did it." })),
  data: Type.Unknown(),
});

const Word = Type.Optional(Type.String({ maxLength: 255 }));

export const AuditQuery = Type.Object({
  actor: Word,
  action: Word,
  kind: Word,
  target: Word,
  since: Type.Optional(Time),
  before: Type.Optional(Time),
});

export const auditRoutes = {
  listAudit: {
    id: "listAudit",
    method: "GET",
    path: "/audit",
    tag: "callers",
    summary: "List what was done to the fleet and to tasks, by whom",
    description: "Superusers see every act, others their own.",
    query: Type.Object({ ...AuditQuery.properties, ...PageQuery.properties }),
    answers: {
      200: {
        description: "A page of acts, newest first.",
        schema: pageOf(AuditLine),
        example: examples.page(examples.auditLine),
      },
    },
    problems: [],
  },
} as const satisfies Record<string, RouteSpec>;
