import { ServerProblem } from "../../sdk/problem.ts";
import type { Asking } from "../asking-command.ts";
import { plain } from "../plain.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

interface Caller {
  readonly user: string;
  readonly role: string;
  readonly rooms: readonly string[] | null;
  readonly jobs: readonly string[] | null;
}

/** Whether the token is good, and what for. */
export async function tokenCheck({ ask, server }: Asking): Promise<readonly Finding[]> {
  const another = "`leadhand token create --user NAME` on the server's machine makes one; give it as LEADHAND_TOKEN";
  if (server.token === null) return [fail("token", server.tokenFrom, another)];
  try {
    const { body } = await ask<Caller>("GET", "/me");
    return [ok("token", plain(`of ${server.tokenFrom}: ${callerText(body)}`))];
  } catch (error) {
    if (!(error instanceof ServerProblem)) throw error;
    if (error.status === 401) return [fail("token", `of ${server.tokenFrom}: ${error.message}`, another)];
    if (error.status === 404) return [warn("token", "the server cannot say what it may do", "use a newer server")];
    return [fail("token", `of ${server.tokenFrom}: ${error.message} (${error.code})`, "try again later")];
  }
}

const powers: Readonly<Record<string, string>> = {
  admin: "may do everything",
  user: "may read and write",
  viewer: "may only read",
};

function callerText({ user, role, rooms, jobs }: Caller): string {
  const limits = [
    rooms === null ? "every room" : `rooms ${rooms.join(", ")}`,
    jobs === null ? "every job" : `jobs ${jobs.join(", ")}`,
  ];
  return `speaks for ${user}, ${powers[role] ?? role}: ${limits.join(", ")}`;
}
