// Where the server is: beside us. The document's base tells below which path a proxy has put it.

const base = new URL(document.baseURI);

/** Of the dashboard, without a slash at its end. */
export const pagesPath = base.pathname.replace(/\/$/, "");

export const apiUrl = new URL("../v1", base).href;

/** As programs are told it. */
export const serverUrl = new URL("..", base).href.replace(/\/$/, "");

/** What to type into a terminal for the server that is looked at. */
export function leadhandCommand(words: string): string {
  return `npx leadhand ${words} --url ${serverUrl}`;
}

export const socketPath = new URL("../socket.io/", base).pathname;

export const origin = base.origin;

export const docsUrl = new URL("../docs", base).href;
