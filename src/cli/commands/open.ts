import { ServerUnreachable } from "../../sdk/problem.ts";
import { type Asking, askingCommand } from "../asking-command.ts";
import { hasDisplay, openInBrowser } from "../browser.ts";
import { dashboardLink } from "../dashboard-link.ts";

const usage = [
  "Usage: leadhand open [--print] [options]",
  "",
  "Opens the server's dashboard in the browser, signed in as whoever the token",
  "speaks for. The link is good once, within ten minutes; it holds no token. Where",
  "there is no display the link is printed instead.",
  "",
  "  --print         only print the link",
];

const answerWithinMs = 10_000;

export const command = askingCommand({
  name: "open",
  summary: "open the server's dashboard in the browser, signed in",
  usage,
  flags: { print: { type: "boolean" } },
  async run(asking) {
    const { server, flags, json, say } = asking;
    const page = dashboardLink(server.url, null);
    await reach(page, asking.signal);
    const url = dashboardLink(server.url, await codeFor(asking));
    if (json) console.log(JSON.stringify({ url }));
    else console.log(url);
    if (json || flags["print"] === true || !hasDisplay()) return 0;
    if (!(await openInBrowser(url))) say("no browser could be opened; the link is above");
    return 0;
  },
});

/** Null where there is no token to make one with: the page asks for it. */
async function codeFor({ server, ask, say }: Asking): Promise<string | null> {
  if (server.token === null) {
    say("there is no token to sign in with; the page will ask for one");
    return null;
  }
  const { body } = await ask<{ readonly code: string }>("POST", "/session/codes");
  return body.code;
}

/** A browser would only say that it cannot be reached, and not why. */
async function reach(url: string, interrupted: AbortSignal): Promise<void> {
  const signal = AbortSignal.any([interrupted, AbortSignal.timeout(answerWithinMs)]);
  try {
    const answer = await fetch(url, { method: "HEAD", signal });
    if (!answer.ok) throw new ServerUnreachable(`${url} answers ${answer.status}; is it a Leadhand server?`);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof TypeError) throw new ServerUnreachable(`${url} was not answered`, { cause: error });
    throw error;
  }
}
