// How messages of a broker's queues are read; core/messages.ts writes them. Anybody may put anything into a queue, so
// reading answers what is wrong with it and never throws: a consumer that died of a message would be handed it again.

import { countMax } from "../../core/checks.ts";
import { Problem } from "../../core/problem.ts";
import { isUuid } from "../../core/uuid7.ts";
import { readJsonBytes } from "../json-text.ts";

/** Beside these a message has no properties that anybody relies on. The encoding keeps clients from parsing it themselves. */
export const messageProperties = {
  durable: true,
  contentType: "application/json",
  contentEncoding: "utf-8",
} as const;

/** In this header a message says how often its operation has run out of memory. */
export const memoryRetryHeader = "x-oom-retry";

/** In this header a message says how often it was delivered in vain: its consumer ended before it did. */
export const redeliveryHeader = "x-redelivery";

/** What an operation is asked for. `parent` and `index` say whose it is, and the how many-th of those. */
export interface OperationMessage {
  readonly operation: string;
  readonly parent: string | null;
  readonly index: number | null;
  readonly payload: Readonly<Record<string, unknown>>;
}

export type Read<T> = { readonly ok: true; readonly message: T } | { readonly ok: false; readonly fault: string };

export interface MessageLimits {
  readonly bytesMax: number;
  readonly depthMax: number;
}

/** As much as any server takes. */
export const payloadBytesMax = 67_108_864;

/** A message may hold a payload as large as that, and the little around it. */
export const defaultMessageLimits: MessageLimits = { bytesMax: payloadBytesMax + 65_536, depthMax: 256 };

/** The task that a message names. Ids may be written in upper case, as other languages do. */
export function readTaskMessage(body: unknown, limits: MessageLimits = defaultMessageLimits): Read<string> {
  const read = readMembers(body, limits);
  if (!read.ok) return read;
  const id = uuidOf(read.message["job_id"]);
  return id === null ? faulty("job_id is not a UUID") : { ok: true, message: id };
}

/** A parent that is no UUID counts as none, as the document has it; an index that is no number would count wrongly. */
export function readOperationMessage(
  body: unknown,
  limits: MessageLimits = defaultMessageLimits,
): Read<OperationMessage> {
  const read = readMembers(body, limits);
  if (!read.ok) return read;
  const { operation, payload, job_id: parent, index = null } = read.message;
  if (typeof operation !== "string" || operation === "") return faulty("operation is not a name");
  if (!isObject(payload)) return faulty("payload is not an object");
  if (index !== null && !isIndex(index)) return faulty(`index is not a whole number from 0 to ${countMax}`);
  return { ok: true, message: { operation, payload, parent: uuidOf(parent), index } };
}

/** Bodies are bytes, or whatever a client library has made of them by their content type. */
function readMembers(body: unknown, { bytesMax, depthMax }: MessageLimits): Read<Readonly<Record<string, unknown>>> {
  const bytes = bytesOf(body);
  if (bytes === null) return faulty("the body is not bytes");
  if (bytes.byteLength > bytesMax)
    return faulty(`the body has ${bytes.byteLength} bytes, at most ${bytesMax} are read`);
  try {
    const value = readJsonBytes(bytes, { depthMax });
    return isObject(value) ? { ok: true, message: value } : faulty("the body is not a JSON object");
  } catch (error) {
    if (error instanceof Problem) return faulty(faultOf(error));
    throw error;
  }
}

/** What reads JSON reads it for requests, and says so of a whole body. */
function faultOf({ errors: [first], message }: Problem): string {
  return first?.pointer === "" ? `the body ${first.detail}` : message;
}

function bytesOf(body: unknown): Uint8Array | null {
  if (body instanceof Uint8Array) return body;
  if (typeof body === "string") return Buffer.from(body);
  if (body === undefined) return null;
  try {
    return Buffer.from(JSON.stringify(body));
  } catch {
    // Too deep to be written again, so it was too deep to be read.
    return null;
  }
}

function faulty(fault: string): { readonly ok: false; readonly fault: string } {
  return { ok: false, fault };
}

function uuidOf(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const id = value.toLowerCase();
  return isUuid(id) ? id : null;
}

function isIndex(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= countMax;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
