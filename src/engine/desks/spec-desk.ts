// Specs, registered and compared on somebody's behalf. Replacing the status quo is for superusers; bringing what is missing
// takes no more than registering a job in that room.

import { maySeeRoom, type Principal, requireSuperuser, requireWrite } from "../../core/access.ts";
import { type Json, specChecksum } from "../../core/checksum.ts";
import { checkRoom, globalRoom, nameParts, specJob } from "../../core/name.ts";
import { badField, type FieldError, Problem } from "../../core/problem.ts";
import { type SpecChange, specChange } from "../../core/spec-diff.ts";
import type { JobRecord } from "../../ports/records.ts";
import type { Schemas } from "../../ports/schemas.ts";
import type { Page, PageQuery } from "../../ports/store-reads.ts";
import { activeJob } from "../active-job.ts";
import { auditEntry } from "../audit-entry.ts";
import { checkTurns } from "../check-turns.ts";
import type { Operations } from "../engine.ts";
import type { RegisteredSpec, SpecAudit, SpecRequest } from "../specs.ts";
import type { Surroundings } from "../surroundings.ts";
import type { JobDesk } from "./job-desk.ts";
import { newestFirst, pageOf } from "./page.ts";
import { requireRegistering } from "./registering.ts";

export interface SpecWords extends Omit<SpecRequest, "name" | "expects"> {
  /** A full name, or the last part of a name among the specs. */
  readonly id: string;
}

export interface SpecView {
  /** As it was given. */
  readonly id: string;
  readonly job: JobRecord;
}

export interface PutSpec extends SpecView {
  readonly created: boolean;
  /** Null where there was nothing to compare with. */
  readonly change: SpecChange | null;
}

export interface ComparedSpec {
  readonly id: string;
  /** Full name. */
  readonly job: string;
  /** The one it would have. */
  readonly checksum: string;
  /** Null where nothing is registered. */
  readonly registered: string | null;
  readonly change: SpecChange | null;
}

export interface SpecDesk {
  put(who: Principal, words: SpecWords, expects?: SpecRequest["expects"]): Promise<PutSpec>;
  /** All of them or none. What is wrong with any is told of all, by pointers below `/specs`. */
  putAll(who: Principal, specs: readonly SpecWords[]): Promise<readonly PutSpec[]>;
  compare(who: Principal, words: Pick<SpecWords, "id" | "schema" | "output">): Promise<ComparedSpec>;
  get(who: Principal, id: string): Promise<SpecView>;
  /** Of a room alone, or of all. */
  list(who: Principal, room: string | null, page: PageQuery): Promise<Page<SpecView>>;
  remove(who: Principal, id: string): Promise<void>;
}

export interface SpecDeskParts {
  readonly operations: Pick<Operations, "specs" | "catalog">;
  readonly schemas: Schemas;
  readonly jobs: JobDesk;
}

export function specDesk(
  around: Pick<Surroundings, "ids" | "clock">,
  { operations, schemas, jobs }: SpecDeskParts,
): SpecDesk {
  const { catalog, specs } = operations;
  const inTurn = checkTurns(around);

  /** As far as the caller sees. */
  function known(who: Principal, name: string): JobRecord | null {
    const job = catalog.job(name);
    return job === undefined || job.deleted || !jobs.maySee(who, name) ? null : job;
  }

  function putting(who: Principal): SpecAudit {
    return ({ job: { name, checksum }, before }) =>
      auditEntry(around, who, {
        ...{ action: "spec.put", kind: "job", target: name },
        data: { checksum, before: before?.checksum ?? null },
      });
  }

  async function put(who: Principal, words: SpecWords, expects?: SpecRequest["expects"]): Promise<PutSpec> {
    const request = requestOf(words, expects);
    if (expects === "absent") {
      requireWrite(who);
      // That it is there is worth knowing to those too who might not bring it.
      if (known(who, request.name) !== null) throw there(request.name);
    } else requireSuperuser(who);
    requireRegistering(who, request.name);
    checkSchemas(schemas, words);
    const [registered] = await specs.put([request], putting(who));
    return putView(words.id, registered as RegisteredSpec);
  }

  async function putAll(who: Principal, all: readonly SpecWords[]): Promise<readonly PutSpec[]> {
    requireSuperuser(who);
    const requests = all.map((words) => requestOf(words));
    const names = requests.map(({ name }) => name);
    const errors = requests.flatMap((request, nth) => {
      const at = `/specs/${nth}`;
      const twice = { pointer: `${at}/id`, detail: `stands for '${request.name}', which is there twice` };
      return distinct([
        ...(names.indexOf(request.name) < nth ? [twice] : []),
        ...faultsOf(() => requireRegistering(who, request.name), at),
        ...faultsOf(() => specs.check(request), at),
        ...faultsOf(() => checkSchemas(schemas, request), at),
      ]);
    });
    if (errors.length > 0) {
      throw new Problem("invalid-request", "Some specs cannot be registered, so none was", { errors });
    }
    const registered = await specs.put(requests, putting(who));
    return registered.map((each, nth) => putView((all[nth] as SpecWords).id, each));
  }

  async function compare(who: Principal, { id, schema, output }: Pick<SpecWords, "id" | "schema" | "output">) {
    const job = specJob(id);
    await inTurn(who, () => checkSchemas(schemas, { schema, ...(output !== undefined && { output }) }));
    if (known(who, job) === null) await catalog.refresh();
    const found = known(who, job);
    return {
      ...{ id, job, checksum: specChecksum({ schema, output }), registered: found?.checksum ?? null },
      change: found === null ? null : specChange(schemasOf(found), { schema, output }),
    };
  }

  return {
    put,
    putAll,
    compare,
    async get(who, id) {
      const job = await activeJob(catalog, specJob(id));
      if (!jobs.maySee(who, job.name)) throw new Problem("job-not-found", `Job '${job.name}' does not exist`);
      return { id, job };
    },
    async list(who, room, page) {
      if (room !== null) checkRoom(room);
      const isSeen = (job: JobRecord): boolean => !job.deleted && (room === null || job.room === room);
      const mine = room !== null && !maySeeRoom(who, room) ? [] : [...catalog.jobs()].filter(isSeen);
      const found = pageOf(mine.filter((job) => jobs.maySee(who, job.name)).sort(newestFirst), page);
      return { ...found, items: found.items.map((job) => ({ id: shortId(job.name), job })) };
    },
    async remove(who, id) {
      requireSuperuser(who);
      requireRegistering(who, specJob(id));
      const name = specJob(id);
      await specs.remove(name, auditEntry(around, who, { action: "spec.delete", kind: "job", target: name }));
    },
  };
}

function there(name: string): Problem {
  return new Problem("precondition-failed", `Job '${name}' is registered already`);
}

function requestOf({ id, ...words }: SpecWords, expects?: SpecRequest["expects"]): SpecRequest {
  if (id === "") throw badField("/id", "is empty");
  return { ...words, name: specJob(id), ...(expects !== undefined && { expects }) };
}

function putView(id: string, { job, before }: RegisteredSpec): PutSpec {
  const change = before === null ? null : specChange(schemasOf(before), schemasOf(job));
  return { id, job, created: before === null, change };
}

function schemasOf({ spec }: JobRecord): { schema: Json; output: Json | null } {
  return { schema: JSON.parse(spec.schema), output: spec.output === null ? null : JSON.parse(spec.output) };
}

/** The shortest that stands for the job. */
function shortId(job: string): string {
  const prefix = `${globalRoom}:specs:`;
  const rest = job.startsWith(prefix) ? job.slice(prefix.length) : "";
  return rest === "" || nameParts(rest) !== null ? job : rest;
}

/** A fault in the output is told as one, not as one of the payload. */
function checkSchemas(schemas: Schemas, { schema, output }: Pick<SpecWords, "schema" | "output">): void {
  const errors = [
    ...faultsOf(() => schemas.check(JSON.stringify(schema)), ""),
    ...(output === undefined ? [] : faultsOf(() => schemas.check(JSON.stringify(output)), "", "/output")),
  ];
  if (errors.length > 0) throw new Problem("invalid-request", "A schema cannot be used", { errors });
}

/** What is wrong, by pointers below `at`; nothing else than a refusal of what was said is caught. */
function faultsOf(check: () => void, at: string, schemaAt = "/schema"): readonly FieldError[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!(error instanceof Problem) || error.code === "forbidden") throw error;
    const { errors, message: detail } = error;
    if (errors.length === 0) return [{ pointer: `${at}/id`, detail }];
    return errors.map((each) => ({ ...each, pointer: at + placed(each.pointer, schemaAt) }));
  }
}

function distinct(errors: readonly FieldError[]): readonly FieldError[] {
  const isSame = (a: FieldError, b: FieldError): boolean => a.pointer === b.pointer && a.detail === b.detail;
  return errors.filter((each, nth) => errors.findIndex((other) => isSame(each, other)) === nth);
}

function placed(pointer: string, schemaAt: string): string {
  if (pointer === "/name" || pointer === "/room") return "/id";
  return pointer.replace(/^\/schema(?=\/|$)/, schemaAt);
}
