// A page that nobody listens in on. Playwright has Chromium tell it of every request of its pages, and Chromium keeps a record
// of each for as long as the page is there: some 300 bytes, which in an hour add up to megabytes that are not the page's. This
// one is opened beside Playwright, in a context that it does not know.

import type { CDPSession } from "playwright-core";
import type { Session } from "./browser.ts";

/** What developer tools can be asked. */
export type Tools = Pick<CDPSession, "send">;

export interface QuietPage {
  readonly tools: Tools;
  url(): string;
  /** The value of an expression, or what its promise comes to. */
  evaluate<T>(expression: string): Promise<T>;
}

export interface QuietWords {
  readonly url: string;
  readonly session: Session;
  readonly viewport: { readonly width: number; readonly height: number };
  /** Scripts that run in it before its own. */
  readonly probes: readonly string[];
}

/** `browser` is the session of the browser itself. */
export async function quietPage(browser: CDPSession, words: QuietWords): Promise<QuietPage> {
  const { browserContextId } = await browser.send("Target.createBrowserContext", { disposeOnDetach: true });
  const cookies = words.session.map(({ name, value, domain, path }) => ({ name, value, domain, path, httpOnly: true }));
  await browser.send("Storage.setCookies", { cookies, browserContextId });
  const { targetId } = await browser.send("Target.createTarget", { url: "about:blank", browserContextId });
  const { sessionId } = await browser.send("Target.attachToTarget", { targetId, flatten: false });
  const tools = toolsOf(browser, sessionId);
  const screen = { ...words.viewport, deviceScaleFactor: 1, mobile: false };
  await tools.send("Emulation.setDeviceMetricsOverride", screen);
  await tools.send("Page.enable");
  for (const source of words.probes) await tools.send("Page.addScriptToEvaluateOnNewDocument", { source });
  await tools.send("Page.navigate", { url: words.url });
  return {
    tools,
    url: () => words.url,
    async evaluate<T>(expression: string) {
      const asked = { expression, awaitPromise: true, returnByValue: true };
      const { result, exceptionDetails } = await tools.send("Runtime.evaluate", asked);
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      return result.value as T;
    },
  };
}

interface Reply {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** Messages to a page, wrapped into messages to its browser. */
function toolsOf(browser: CDPSession, sessionId: string): Tools {
  const waiting = new Map<number, (reply: Reply) => void>();
  let last = 0;
  browser.on("Target.receivedMessageFromTarget", (received) => {
    if (received.sessionId !== sessionId) return;
    const reply = JSON.parse(received.message) as Reply;
    if (reply.id !== undefined) waiting.get(reply.id)?.(reply);
  });
  async function send(method: string, params: object = {}): Promise<unknown> {
    last += 1;
    const id = last;
    const answered = new Promise<Reply>((resolve) => waiting.set(id, resolve));
    await browser.send("Target.sendMessageToTarget", { sessionId, message: JSON.stringify({ id, method, params }) });
    const { result, error } = await answered;
    waiting.delete(id);
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }
  return { send: send as Tools["send"] };
}
