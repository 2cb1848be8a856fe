import { userInfo } from "node:os";
import { Problem } from "../../core/problem.ts";
import { checkTokenRequest, type TokenRequest } from "../../server/auth/token-request.ts";
import { allTokens, auditAs, issueToken, revokeToken } from "../../server/auth/tokens.ts";
import { databaseName, databaseOf } from "../../server/database.ts";
import { type SystemClock, systemClock, systemIds, systemSecret } from "../../server/system.ts";
import { type TokenStore, withTokens } from "../../server/token-database.ts";
import { commandLog } from "../command-log.ts";
import { configuredCommand, type Given } from "../configured-command.ts";
import { requestFlags, tokenRequest } from "../token-request.ts";
import { listedToken, tokenLine, tokenTable } from "../token-text.ts";
import { UsageError } from "../usage-error.ts";

const usage = [
  "Usage: leadhand token create --user U [--role R] [--rooms A,B] [--jobs PATTERNS]",
  "                             [--expires 90d] [--name N] [--json] [settings]",
  "       leadhand token list [--json] [settings]",
  "       leadhand token revoke ID [settings]",
  "",
  "Makes, lists and revokes API tokens, in the database itself: servers may be at",
  "work on it, and none has to be. They heed it within five seconds.",
  "",
  "  --user U       whom the token speaks for; any text",
  "  --role R       admin (may do everything), user, or viewer (only reads); user",
  "                 unless said otherwise",
  "  --rooms A,B    only these rooms; without it every room",
  "  --jobs P,Q     only jobs whose full name is like one of these; * stands for",
  "                 any characters: '@global:*'. Without it every job",
  "  --expires D    for so long: 90d, 12h; without it until it is revoked",
  "  --name N       what it is for; shown by `list`",
  "  --json         print JSON",
  "",
  "`create` prints the token on standard output, alone, and this once: only its",
  "hash is kept.",
  "",
  "Exit codes: 0 done, 1 there is no such token or the database cannot be used, 2",
  "the command line or a setting is wrong.",
].join("\n");

const help = "`leadhand token --help` says what it takes";

interface Action {
  readonly flags: readonly string[];
  readonly takesId: boolean;
  run(given: Given): Promise<number>;
}

const actions: Readonly<Record<string, Action>> = {
  create: { flags: [...Object.keys(requestFlags), "json"], takesId: false, run: create },
  list: { flags: ["json"], takesId: false, run: list },
  revoke: { flags: [], takesId: true, run: revoke },
};

export const command = configuredCommand({
  name: "token",
  summary: "make, list and revoke API tokens",
  usage,
  flags: { ...requestFlags, json: { type: "boolean" } },
  words: ["ACTION", "[ID]"],
  async run(given) {
    const [name, id] = given.words as [string, string?];
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (action === undefined) throw new UsageError(`"${name}" is not create, list or revoke; ${help}`);
    if (action.takesId && id === undefined) throw new UsageError(`ID is missing; ${help}`);
    if (!action.takesId && id !== undefined) throw new UsageError(`"${id}" is one word too many; ${help}`);
    const foreign = [...Object.keys(requestFlags), "json"].find(
      (flag) => flag in given.flags && !action.flags.includes(flag),
    );
    if (foreign !== undefined) throw new UsageError(`--${foreign} is not for \`token ${name}\`; ${help}`);
    return action.run(given);
  },
});

async function create(given: Given): Promise<number> {
  const clock = systemClock();
  const request = tokenRequest(given.flags, clock.now());
  refuseBadRequest(request, clock.now());
  const { token, record } = await onTokens(given, (store) =>
    issueToken({ store, clock, secret: systemSecret, audit: auditHere(clock) }, request),
  );
  if (given.flags["json"] === true) {
    console.log(JSON.stringify({ token, ...listedToken(record, clock.now()) }));
  } else {
    // The token alone, so that it can be captured; and first, for what is lost here is lost for good.
    console.log(token);
    console.error(`leadhand token: made ${tokenLine(record)}. It is shown this once.`);
  }
  return 0;
}

async function list(given: Given): Promise<number> {
  const now = systemClock().now();
  const tokens = await onTokens(given, allTokens);
  if (given.flags["json"] === true) {
    const database = databaseName(databaseOf(given.read.config));
    console.log(JSON.stringify({ database, tokens: tokens.map((token) => listedToken(token, now)) }));
  } else {
    for (const line of tokenTable(tokens, now)) console.log(line);
  }
  return 0;
}

async function revoke(given: Given): Promise<number> {
  const id = given.words[1] as string;
  const clock = systemClock();
  const record = await onTokens(given, (store) => revokeToken({ store, clock, audit: auditHere(clock) }, id));
  if (record === null) throw new Error(`There is no token ${id}; \`leadhand token list\` has them all`);
  console.error(`leadhand token: revoked ${tokenLine(record)}. Servers refuse it within five seconds.`);
  return 0;
}

/** Whoever has this shell is known by no token, but the machine has a name for them. */
function auditHere(clock: SystemClock) {
  return auditAs(`shell:${userName()}`, { ids: systemIds(clock), clock });
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container the user may be a mere number.
    return String(process.getuid?.() ?? "?");
  }
}

function onTokens<T>({ read: { config } }: Given, work: (store: TokenStore) => Promise<T>): Promise<T> {
  return withTokens(databaseOf(config), commandLog(config), work);
}

function refuseBadRequest(request: TokenRequest, now: number): void {
  try {
    checkTokenRequest(request, now);
  } catch (error) {
    if (error instanceof Problem) throw new UsageError(error.message.replace(/^\//, "--"));
    throw error;
  }
}
