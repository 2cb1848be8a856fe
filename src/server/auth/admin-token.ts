// The admin token of a first start: a file in the data directory that only its owner can read. It is made once, where
// the database knows no admin; a token that is in the file already is made known to a database that has not heard of it,
// so that a new database under an old file, or a file put there beforehand, just works.

import { link, open, readFile, stat, unlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { tokenState } from "../../core/session.ts";
import type { Log } from "../../ports/log.ts";
import { makeDataDirectory } from "../data-directory.ts";
import { apiToken, hashOf, idOf, isApiToken } from "./api-token.ts";
import { allTokens, registerToken, type TokenKeeper } from "./tokens.ts";

export interface AdminTokenOptions extends TokenKeeper {
  readonly dataDirectory: string;
  readonly log: Log;
}

const admin = {
  ...({ user: "admin", role: "admin", name: "made by the first start" } as const),
  ...{ rooms: null, jobs: null, expiresAt: null },
};

/** Throws where the file holds something else; a file that cannot be made is only worth a warning. */
export async function ensureAdminToken(options: AdminTokenOptions): Promise<void> {
  const { dataDirectory, log } = options;
  const file = join(resolve(dataDirectory), "admin-token");
  const found = await readAdminToken(file, log);
  if (found !== null) return makeKnown(options, file, found);
  if (await hasAdmin(options)) return;
  try {
    await makeDataDirectory(dataDirectory);
    await writeOnce(file, apiToken(options.secret()));
  } catch (error) {
    log.warn("No admin token could be written; `leadhand token create --role admin` makes one", { file, error });
    return;
  }
  // Another server may have been faster; then its token is the one.
  const token = await readAdminToken(file, log);
  if (token !== null) await makeKnown(options, file, token);
}

async function makeKnown(options: AdminTokenOptions, file: string, token: string): Promise<void> {
  const { store, clock, log } = options;
  const known = await store.read("token", { hash: hashOf(token) });
  if (known === null) {
    await registerToken(options, token, admin);
    log.info("The admin token of the data directory is good for this database", { file });
    return;
  }
  const state = tokenState(known, clock.now());
  if (state !== "active") log.warn(`The token in the data directory is ${state}; remove the file`, { file });
}

async function hasAdmin({ store, clock }: AdminTokenOptions): Promise<boolean> {
  const tokens = await allTokens(store);
  return tokens.some((token) => token.role === "admin" && tokenState(token, clock.now()) === "active");
}

/** Null where there is no file. */
async function readAdminToken(file: string, log: Log): Promise<string | null> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if (isCode(error, "ENOENT") || isCode(error, "ENOTDIR")) return null;
    throw error;
  }
  const token = text.trim();
  if (!isApiToken(token)) throw new Error(`${file} holds no token; remove it, and the next start makes one if it must`);
  const others = (await stat(file)).mode & 0o077;
  if (others !== 0 && process.platform !== "win32") log.warn("The admin token can be read by others", { file });
  return token;
}

/** Whole or not at all, and never over another: a link cannot be made where there is a file. */
async function writeOnce(file: string, token: string): Promise<void> {
  const partial = `${file}.${idOf(hashOf(token))}`;
  const handle = await open(partial, "wx", 0o600);
  try {
    await handle.writeFile(`${token}\n`);
    await handle.sync();
    await link(partial, file);
  } catch (error) {
    if (!isCode(error, "EEXIST")) throw error;
  } finally {
    await handle.close();
    await unlink(partial);
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
