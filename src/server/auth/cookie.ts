// The cookie of a session. Scripts cannot read it, and browsers send it with requests of our own pages alone.

import type { IncomingMessage } from "node:http";
import type { SeenAs } from "../forwarding.ts";

/** The first of that name; null where there is none. A browser sends what is meant for the longest path first. */
export function cookieOf(headers: IncomingMessage["headers"], name: string): string | null {
  for (const part of (headers.cookie ?? "").split(";")) {
    const at = part.indexOf("=");
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return null;
}

/** An empty value, and no seconds, remove it. */
export function cookieText(
  name: string,
  value: string,
  seconds: number,
  { secure, prefix }: Pick<SeenAs, "secure" | "prefix">,
): string {
  const attributes = ["HttpOnly", "SameSite=Strict", `Path=${prefix}/`, `Max-Age=${seconds}`];
  return [`${name}=${value}`, ...attributes, ...(secure ? ["Secure"] : [])].join("; ");
}

/**
 * Whether a request comes from a page of ours, as far as its browser says. Whoever says nothing is no browser, or its page
 * is ours: browsers name the origin of what others send. Behind a proxy that has TLS and is not trusted we take ourselves
 * for plain HTTP, so then either scheme is ours.
 */
export function isOwnOrigin(origin: string | undefined, { host, secure }: Pick<SeenAs, "host" | "secure">): boolean {
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  const { protocol, host: named } = new URL(origin);
  if (protocol !== "https:" && (secure || protocol !== "http:")) return false;
  const own = `${protocol}//${host}`;
  return host !== "" && URL.canParse(own) && new URL(own).host === named;
}
