// Which server a command asks, and by which token. Flags win over variables; without either it is the server of this
// machine, whose admin token lies in its data directory.

import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { environmentVariable } from "../server/config.ts";
import { settings } from "../server/settings/settings.ts";
import { UsageError } from "./usage-error.ts";

export interface AskedServer {
  /** Without a slash at the end. */
  readonly url: string;
  readonly urlFrom: string;
  readonly token: string | null;
  /** In words; never the token itself. */
  readonly tokenFrom: string;
}

export interface ServerFlags {
  readonly url?: string | undefined;
  readonly token?: string | undefined;
  readonly data?: string | undefined;
}

const usualUrl = "http://127.0.0.1:7070";

export async function askedServer(
  flags: ServerFlags,
  variable: (name: string) => string | undefined = environmentVariable,
): Promise<AskedServer> {
  const { url, from: urlFrom } = chosen(flags.url, variable("LEADHAND_URL"));
  const base = baseOf(url, urlFrom);
  return { url: base, urlFrom, ...(await tokenFor(base, flags, variable)) };
}

function chosen(flag: string | undefined, variable: string | undefined) {
  if (flag !== undefined) return { url: flag, from: "--url" };
  if (variable !== undefined) return { url: variable, from: "LEADHAND_URL" };
  return { url: usualUrl, from: "the default" };
}

function baseOf(text: string, from: string): string {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`${from}: "${text}" is not a URL like ${usualUrl}`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new UsageError(`${from}: names and passwords have no place in the URL; a token is given as LEADHAND_TOKEN`);
  }
  // People copy what they see in documents, and there paths begin with /v1.
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "").replace(/\/v1$/, "");
}

type Token = Pick<AskedServer, "token" | "tokenFrom">;

async function tokenFor(
  url: string,
  flags: ServerFlags,
  variable: (name: string) => string | undefined,
): Promise<Token> {
  if (flags.token !== undefined) return checked(flags.token, "--token");
  const set = variable("LEADHAND_TOKEN");
  if (set !== undefined) return checked(set, "LEADHAND_TOKEN");
  if (!isLocal(url)) return { token: null, tokenFrom: "none: give LEADHAND_TOKEN or --token" };
  const folder = flags.data ?? variable(settings.data.variables[0]) ?? (settings.data.default as string);
  return fromFile(join(resolve(folder), "admin-token"));
}

async function fromFile(file: string): Promise<Token> {
  try {
    return checked(await readFile(file, "utf8"), file);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    const why = error.code === "ENOENT" ? "is not there" : `cannot be read (${error.code})`;
    return { token: null, tokenFrom: `none: ${file} ${why}; give LEADHAND_TOKEN, --token or --data` };
  }
}

function checked(text: string, from: string): Token {
  const token = text.trim();
  // Anything else could not stand in a header.
  if (!/^[\x21-\x7e]+$/.test(token)) throw new UsageError(`${from} holds no token`);
  return { token, tokenFrom: from };
}

export function isLocal(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}
