// What a page complains of, in all the places where browsers do: none of it is normal, so whatever a test did not expect
// fails it.

import assert from "node:assert/strict";
import type { BrowserContext, ConsoleMessage, Page, Request } from "playwright-core";

export interface Faults {
  /** As sentences, in their order: `response: 404 GET http://…`. */
  readonly list: readonly string[];
  /** Those that match are no fault; one at least has to come, or the test fails. */
  expect(pattern: RegExp): void;
  /** Throws what came unexpected, and what was expected and did not come. */
  check(): void;
}

/** Watches all pages of the context, also those that a page opens. */
export async function watchFaults(context: BrowserContext, origin: string): Promise<Faults> {
  const list: string[] = [];
  const expected: RegExp[] = [];
  const note = (kind: string, words: string) => void list.push(`${kind}: ${words}`);

  await context.exposeBinding(violationBinding, (_, words: string) => note("policy", words));
  await context.addInitScript({ content: tellViolations });
  context.on("console", (message) => noteConsole(message, note));
  context.on("weberror", (error) => note("page", String(error.error().stack ?? error.error())));
  context.on("request", (request) => {
    if (!isOurs(request.url(), origin)) note("request", `to another server: ${nameOf(request)}`);
  });
  context.on("requestfailed", (request) => {
    const reason = request.failure()?.errorText ?? "failed";
    if (!isGivenUp(reason)) note("request", `${reason} ${nameOf(request)}`);
  });
  context.on("response", (response) => {
    if (response.status() >= 400) note("response", `${response.status()} ${nameOf(response.request())}`);
  });
  context.on("page", (page) => watchPage(page, note));

  return {
    list,
    expect: (pattern) => void expected.push(pattern),
    check() {
      const surprises = list.filter((fault) => !expected.some((pattern) => pattern.test(fault)));
      const missing = expected.filter((pattern) => !list.some((fault) => pattern.test(fault)));
      const lines = [...surprises, ...missing.map((pattern) => `expected and did not come: ${pattern}`)];
      assert.ok(lines.length === 0, `The page complained:\n${lines.map((line) => `  - ${line}`).join("\n")}`);
    },
  };
}

type Note = (kind: string, words: string) => void;

function noteConsole(message: ConsoleMessage, note: Note): void {
  if (message.type() !== "error" && message.type() !== "assert") return;
  // The same is told as a failed request or a bad response, which name what was asked for.
  if (message.text().startsWith("Failed to load resource:")) return;
  const { url, lineNumber } = message.location();
  note("console", `${message.text()} (${url}:${lineNumber})`);
}

function watchPage(page: Page, note: Note): void {
  page.on("crash", () => note("page", "crashed"));
  page.on("websocket", (socket) => socket.on("socketerror", (error) => note("socket", `${error} ${socket.url()}`)));
  page.on("dialog", (dialog) => {
    note("dialog", `${dialog.type()} ${dialog.message()}`);
    void dialog.dismiss();
  });
}

/** A page that changes its mind, or is left, gives up what it asked for. */
function isGivenUp(reason: string): boolean {
  return reason === "net::ERR_ABORTED";
}

function isOurs(url: string, origin: string): boolean {
  const { protocol, origin: asked } = new URL(url);
  return asked === origin || protocol === "data:" || protocol === "blob:" || protocol === "about:";
}

function nameOf(request: Request): string {
  return `${request.method()} ${request.url().slice(0, 500)}`;
}

const violationBinding = "leadhandPolicyViolation";

/** Runs in the page, before anything of its own. */
const tellViolations = `
  document.addEventListener("securitypolicyviolation", (event) => {
    const where = event.sourceFile ? " by " + event.sourceFile + ":" + event.lineNumber : "";
    ${violationBinding}(event.effectiveDirective + " refuses " + event.blockedURI + where);
  });
`;
