// Push jobs: a job with a URL is nobody's to claim; the server itself sends each of its tasks there, signed. Here is what
// such a job may say, what others may see of it, and how a request is signed.

import { createHmac } from "node:crypto";
import { isAddress, isPublicAddress } from "./address.ts";
import { checkInteger } from "./checks.ts";
import type { Json } from "./checksum.ts";
import { badField } from "./problem.ts";

/** The one worker that serves push jobs, for all servers of a database. */
export const pushWorker = "00000000-0000-7000-8000-000000000001";

/** A webhook's settings. */
export interface PushSpec {
  readonly url: string;
  /** How long one request may take. */
  readonly timeoutMs: number;
  /** How long after a 202 the callback may take. */
  readonly callbackMs: number;
  /** Tasks at the target at once, whichever server sent them. */
  readonly maxConcurrent: number;
  /** Sent along; their values are secret. */
  readonly headers: Readonly<Record<string, string>>;
  /** What requests are signed with; null: computed, see `pushSecret`. */
  readonly secret: string | null;
}

/** What a server allows its users to send tasks to. */
export interface PushRules {
  /** Also addresses that only this network knows. */
  readonly allowPrivate: boolean;
  readonly allowHttp: boolean;
  /** Names or addresses that are allowed whatever they resolve to. */
  readonly allowHosts: readonly string[];
}

export const strictPushRules: PushRules = { allowPrivate: false, allowHttp: false, allowHosts: [] };

const defaults = { timeoutMs: 30_000, callbackMs: 900_000, maxConcurrent: 10, headers: {}, secret: null };

const limits = {
  timeoutMs: [100, 900_000],
  callbackMs: [1_000, 7 * 24 * 3_600_000],
  maxConcurrent: [1, 10_000],
} as const;

const urlCharsMax = 2_048;
const headersMax = 20;
const headerCharsMax = 4_096;
const secretChars = [16, 256] as const;

/** Ours, and those by which one request could be made to look like two or like somebody else's. */
const reservedHeaders =
  /^(?:leadhand-.*|idempotency-key|host|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*|user-agent|accept-encoding)$/i;

/** As it is kept. */
export function parsePush(text: string): PushSpec {
  return { ...defaults, ...(JSON.parse(text) as Partial<PushSpec> & Pick<PushSpec, "url">) };
}

/** Throws with the field named, unless a server with these rules may send tasks there. */
export function checkPush(push: Json, rules: PushRules): void {
  if (typeof push !== "object" || push === null || Array.isArray(push)) throw badField("/push", "must be an object");
  const known = ["url", ...Object.keys(defaults)];
  for (const key of Object.keys(push)) if (!known.includes(key)) throw badField(`/push/${key}`, "is not known");
  const { url, headers = {}, secret = null } = push as Record<string, Json>;
  const refused = targetFault(url, rules);
  if (refused !== null) throw badField("/push/url", refused);
  for (const [key, [least, most]] of Object.entries(limits)) {
    const value = (push as Record<string, Json>)[key];
    if (value !== undefined) checkInteger(`/push/${key}`, value as number, least, most);
  }
  checkHeaders(headers as Json);
  const [least, most] = secretChars;
  const isSecret = typeof secret === "string" && secret.length >= least && secret.length <= most;
  if (secret !== null && !isSecret) throw badField("/push/secret", `must be a text of ${least} to ${most} characters`);
}

function checkHeaders(headers: Json): void {
  if (typeof headers !== "object" || headers === null || Array.isArray(headers)) {
    throw badField("/push/headers", "must be an object");
  }
  const entries = Object.entries(headers);
  if (entries.length > headersMax) throw badField("/push/headers", `has more than ${headersMax} entries`);
  for (const [name, value] of entries) {
    const pointer = `/push/headers/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(name)) throw badField(pointer, "is no name of a header");
    if (reservedHeaders.test(name)) throw badField(pointer, "is set by the server");
    const isPlain = typeof value === "string" && value.length <= headerCharsMax && /^[\t\x20-\x7e]*$/.test(value);
    if (!isPlain) throw badField(pointer, `must be a text of at most ${headerCharsMax} printable ASCII characters`);
  }
}

/** Why a server with these rules sends nothing there; null where it may, as far as the URL itself tells. */
export function targetFault(url: unknown, rules: PushRules): string | null {
  if (typeof url !== "string" || url.length > urlCharsMax) return `must be a URL of at most ${urlCharsMax} characters`;
  const target = URL.parse(url);
  if (target === null || !/^https?:$/.test(target.protocol)) return "must be an https URL";
  if (target.username !== "" || target.password !== "") return "must not hold a user or a password";
  if (target.protocol === "http:" && !rules.allowHttp && !rules.allowPrivate) {
    return "must be an https URL: this server does not allow http";
  }
  const host = hostOf(target);
  return isAddress(host) && !mayReach(host, host, rules) ? "is an address that is not public" : null;
}

/** The name or address in a URL, without the brackets of IPv6. */
export function hostOf({ hostname }: Pick<URL, "hostname">): string {
  return hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
}

/** Whether this address may be connected to on behalf of a URL with that host. */
export function mayReach(address: string, host: string, { allowPrivate, allowHosts }: PushRules): boolean {
  if (allowPrivate || isPublicAddress(address)) return true;
  return allowHosts.some((each) => each.toLowerCase() === host.toLowerCase());
}

/** What everyone may see: no values of headers, nothing behind the path, and of a secret only that there is one. */
export function shownPush(text: string): Json {
  const { url, secret, headers, ...numbers } = parsePush(text);
  const target = URL.parse(url);
  const shown = target === null ? "" : `${target.origin}${target.pathname}${target.search === "" ? "" : "?***"}`;
  const names = Object.fromEntries(Object.keys(headers).map((name) => [name, "***"]));
  return { url: shown, ...numbers, headers: names, secret: secret === null ? null : "***" };
}

/** What a job's requests are signed with where it does not say: the same on every server, and kept nowhere. */
export function pushSecret(databaseSecret: string, job: string): string {
  return createHmac("sha256", databaseSecret).update(`push\n${job}`).digest("hex");
}

/** `timestamp` is in seconds; what is signed is "timestamp.body". */
export function pushSignature(secret: string, timestamp: number, body: string): string {
  return `v1=${createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex")}`;
}
