// The workers of a fleet, each a process of its own: hired, killed, replaced, stopped for a while; and all that they said.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { until } from "../../../src/testing/until.ts";
import { compiled, temporaryFolder } from "../../leadhand-process.ts";
import type { Orders, Said } from "./words.ts";

export interface CrewMember {
  readonly orders: Orders;
  readonly child: ChildProcess;
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Stopped for the moment. */
  isStopped: boolean;
  /** The worker that it last was. */
  worker(): string | undefined;
  err(): string;
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Sign {
  readonly at: number;
  readonly answeredAt: number;
}

export interface Crew {
  readonly members: ReadonlySet<CrewMember>;
  /** Whose worker each is, or was: also of those who left. */
  readonly memberOf: ReadonlyMap<string, CrewMember>;
  /** When each worker gave signs of life that were answered, in order. */
  readonly heard: ReadonlyMap<string, readonly Sign[]>;
  /** Who began each attempt, `task attempt`. */
  readonly began: ReadonlyMap<string, ReadonlySet<CrewMember>>;
  /** When each worker had a poll under way whose answer never came. */
  readonly unanswered: ReadonlyMap<string, readonly Span[]>;
  readonly faults: string[];
  hire(orders: Orders): CrewMember;
  ready(): Promise<void>;
  kill(member: CrewMember): Promise<void>;
  /** SIGTERM, as from one who wants it to end in good order; answers how it ended. */
  dismiss(member: CrewMember): Promise<number | NodeJS.Signals>;
  leave(): Promise<void>;
}

const program = fileURLToPath(new URL("./program.ts", import.meta.url));
const tap = new URL("./tap.ts", import.meta.url).href;
const readyWithinMs = 60_000;

export async function crew(): Promise<Crew> {
  const members = new Set<CrewMember>();
  const memberOf = new Map<string, CrewMember>();
  const heard = new Map<string, Sign[]>();
  const began = new Map<string, Set<CrewMember>>();
  const unanswered = new Map<string, Span[]>();
  const faults: string[] = [];
  const cache = compiled ?? (await temporaryFolder());
  after(() => {
    for (const { child } of members) child.kill("SIGKILL");
  });

  function note(member: CrewMember, word: Exclude<Said, { ready: string }>): void {
    if ("heard" in word) listed(heard, word.heard, () => []).push({ at: word.at, answeredAt: word.answeredAt });
    else if ("began" in word) listed(began, `${word.began} ${word.attempt}`, () => new Set()).add(member);
    else listed(unanswered, word.unanswered, () => []).push({ from: word.from, to: word.to });
  }

  function hire(orders: Orders): CrewMember {
    const child = spawn(process.execPath, ["--import", tap, program, JSON.stringify(orders)], {
      env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: cache },
      stdio: ["pipe", "pipe", "pipe"],
    });
    let [worker, out, err]: [string | undefined, string, string] = [undefined, "", ""];
    const ended = once(child, "close").then(([code, signal]) => {
      // Whoever is killed, or told to leave, is off the list by then.
      if (members.delete(member)) faults.push(`A worker (${orders.door}) ended by itself: ${code ?? signal} ${err}`);
      return (code ?? signal) as number | NodeJS.Signals;
    });
    const member: CrewMember = { orders, child, ended, isStopped: false, worker: () => worker, err: () => err };
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      const lines = (out + text).split("\n");
      out = lines.pop() ?? "";
      for (const line of lines) {
        const word = JSON.parse(line) as Said;
        if ("ready" in word) {
          worker = word.ready;
          memberOf.set(worker, member);
        } else note(member, word);
      }
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
    members.add(member);
    return member;
  }

  async function end(member: CrewMember, signal: NodeJS.Signals): Promise<number | NodeJS.Signals> {
    members.delete(member);
    member.child.kill(signal);
    return member.ended;
  }

  return {
    ...{ members, memberOf, heard, began, unanswered, faults, hire },
    async ready() {
      const waiting = () => [...members].filter((each) => each.worker() === undefined);
      const nobody = () => waiting().length === 0 || faults.length > 0;
      await until("all workers are there", nobody, readyWithinMs).catch((error) => {
        const who = waiting().map(({ orders, err }) => `${orders.door}: ${err()}`);
        throw new Error(`Not there:\n${who.join("\n")}`, { cause: error });
      });
    },
    async kill(member) {
      await end(member, "SIGKILL");
    },
    dismiss: (member) => end(member, "SIGTERM"),
    async leave() {
      await Promise.all([...members].map((member) => end(member, "SIGKILL")));
    },
  };
}

function listed<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key) ?? make();
  map.set(key, found);
  return found;
}
