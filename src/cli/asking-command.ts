// Commands that ask a running server. The command line is checked before anything is asked (exit code 2); what the server
// refuses, and a server that is away, is exit code 1; Ctrl-C ends every wait.

import { parseArgs } from "node:util";
import { type RestApi, type RestAsk, type RestReply, restApi } from "../sdk/rest-api.ts";
import { systemClock } from "../server/system.ts";
import { type AskedServer, askedServer, type ServerFlags } from "./asked-server.ts";
import type { Command } from "./command.ts";
import { faultText, isBug } from "./fault-text.ts";
import { nearestName } from "./nearest-name.ts";
import { refusalJson, refusalLines } from "./refusal-text.ts";
import { type StopSignal, signalCode, stopRequest } from "./stop-signal.ts";
import { checkWords, UsageError, usageFaults } from "./usage-error.ts";

export interface AskingCommand {
  readonly name: string;
  readonly summary: string;
  /** What `--help` prints, above the flags and exit codes that all of them share. */
  readonly usage: readonly string[];
  readonly flags?: Readonly<Record<string, FlagOption>>;
  readonly words?: readonly string[];
  /** Exit codes beside those that all of them share, as in "3 the task failed". */
  readonly exitCodes?: readonly string[];
  /** It ends by itself at SIGINT and SIGTERM, in an order of its own. */
  readonly heedsSignals?: boolean;
  /** Answers the exit code. */
  run(asking: Asking): Promise<number>;
}

export interface FlagOption {
  readonly type: "boolean" | "string";
  readonly short?: string;
  readonly multiple?: boolean;
}

export interface Asking {
  readonly name: string;
  readonly server: AskedServer;
  /** Each request ends with Ctrl-C, and has a limit of time. */
  ask<T = unknown>(method: string, path: string, ask?: TimedAsk): Promise<RestReply<T>>;
  readonly flags: Readonly<Record<string, unknown>>;
  readonly words: readonly string[];
  readonly json: boolean;
  /** Aborted by Ctrl-C, with an Interruption as its reason. */
  readonly signal: AbortSignal;
  now(): number;
  /** A line beside the output, on standard error. */
  say(text: string): void;
}

export interface TimedAsk extends RestAsk {
  /** The path is not below /v1. */
  readonly atRoot?: boolean;
  /** How long the server was asked to wait, in addition to the time that any answer may take. */
  readonly waitMs?: number;
}

/** Somebody asked the command to stop. */
export class Interruption extends Error {
  override readonly name = "Interruption";
  readonly signal: StopSignal;

  constructor(signal: StopSignal) {
    super(`Interrupted by ${signal}`);
    this.signal = signal;
  }
}

const sharedFlags = {
  ...{ url: { type: "string" }, token: { type: "string" }, data: { type: "string" } },
  ...{ json: { type: "boolean" }, verbose: { type: "boolean" }, help: { type: "boolean", short: "h" } },
} as const satisfies Record<string, FlagOption>;

const sharedUsage = [
  "  --url URL       the server; else LEADHAND_URL, else http://127.0.0.1:7070",
  "  --token T       else LEADHAND_TOKEN; else, for a server on this machine, the",
  "                  file admin-token of its data folder (--data, LEADHAND_DATA)",
  "  --json          print JSON, for programs",
  "  --verbose       say which server and which token are used",
];

const sharedCodes = ["0 done", "1 the server refused or is away", "2 the command line is wrong"];

export function askingCommand(about: AskingCommand): Command {
  const { name, summary } = about;
  return {
    name,
    summary,
    async run(args) {
      let asJson = false;
      try {
        const { values, positionals } = parsed(about, args);
        asJson = values["json"] === true;
        if (values["help"] === true) {
          console.log(usageText(about));
          return 0;
        }
        checkWords(about, positionals);
        return await answered(about, values, positionals);
      } catch (error) {
        return told(name, error, asJson);
      }
    },
  };
}

function parsed(about: AskingCommand, args: readonly string[]) {
  const options = { ...about.flags, ...sharedFlags };
  try {
    return parseArgs({ args: [...args], options, allowPositionals: about.words !== undefined });
  } catch (error) {
    const isUnknown = error instanceof Error && "code" in error && error.code === "ERR_PARSE_ARGS_UNKNOWN_OPTION";
    const typed = isUnknown ? /'(--?)([^']+)'/.exec(error.message) : null;
    if (typed === null) throw error;
    const [, dashes = "", name = ""] = typed;
    const meant = nearestName(name, Object.keys(options));
    const hint = meant === undefined ? "" : `, did you mean --${meant}?`;
    throw new UsageError(
      `${dashes}${name} is no option of it${hint || ";"} \`leadhand ${about.name} --help\` lists them`,
    );
  }
}

async function answered(about: AskingCommand, flags: Asking["flags"], words: readonly string[]): Promise<number> {
  const { name } = about;
  const server = await askedServer(flags as ServerFlags);
  const say = (text: string): void => console.error(`leadhand ${name}: ${text}`);
  if (flags["verbose"] === true) say(`asking ${server.url} (${server.urlFrom}), token ${server.tokenFrom}`);
  const getHeaders = () => (server.token === null ? {} : { authorization: `Bearer ${server.token}` });
  const apiAt = (prefix: "/v1" | ""): RestApi => restApi({ url: server.url, prefix, getHeaders });
  const stop = stopRequest(about.heedsSignals === true ? [] : ["SIGINT", "SIGTERM"]);
  const interruption = new AbortController();
  void stop.asked.then((signal) => interruption.abort(new Interruption(signal)));
  const { signal } = interruption;
  endWithReader();
  try {
    return await about.run({
      ...{ name, server, flags, words, signal, say, json: flags["json"] === true, now: systemClock().now },
      ask: (method, path, { atRoot = false, ...ask } = {}) =>
        timed(apiAt(atRoot ? "" : "/v1"), signal, method, path, ask),
    });
  } finally {
    stop.end();
  }
}

/** What any answer may take. */
const answerWithinMs = 30_000;

function timed<T>(
  api: RestApi,
  interrupted: AbortSignal,
  method: string,
  path: string,
  { waitMs = 0, signal, ...ask }: TimedAsk = {},
): Promise<RestReply<T>> {
  const signals = [
    interrupted,
    AbortSignal.timeout(answerWithinMs + waitMs),
    ...(signal === undefined ? [] : [signal]),
  ];
  return api.request<T>(method, path, { ...ask, signal: AbortSignal.any(signals) });
}

/** Nobody reads any more, as behind `| head`: there is nothing left to do. */
function endWithReader(): void {
  process.stdout.on("error", (error: Error) => {
    if (!("code" in error && error.code === "EPIPE")) throw error;
    process.exit(0);
  });
}

function told(name: string, error: unknown, asJson: boolean): number {
  if (error instanceof Interruption) return signalCode(error.signal);
  const usage = usageFaults(error);
  const refusal = usage === null ? refusalLines(error) : null;
  if (usage === null && refusal === null && isBug(error)) throw error;
  const json = asJson ? refusalJson(error) : null;
  if (json !== null) console.error(json);
  else {
    const [first = "", ...more] = usage ?? refusal ?? [faultText(error)];
    console.error([`leadhand ${name}: ${first}`, ...more].join("\n"));
  }
  return usage === null ? 1 : 2;
}

function usageText({ usage, exitCodes = [] }: AskingCommand): string {
  const codes = [...sharedCodes, ...exitCodes, "130 stopped by Ctrl-C"];
  return [...usage, ...sharedUsage, "", ...wrapped(`Exit codes: ${codes.join(", ")}.`)].join("\n");
}

const helpWidth = 79;

function wrapped(text: string): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > helpWidth) {
      lines.push(line);
      line = "";
    }
    line += line === "" ? word : ` ${word}`;
  }
  return [...lines, line];
}
