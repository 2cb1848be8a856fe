// The dashboard at /ui/. It is one page, whatever the path: what stands behind /ui/ is the page's own business. It is open
// to all, for without a session it shows nothing.

import { fileURLToPath } from "node:url";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Problem } from "../../core/problem.ts";
import { acceptedEncoding, hasAlready } from "./negotiation.ts";
import { tagOf, type UiFile, type UiFiles } from "./ui-files.ts";
import { uiHeaders } from "./ui-headers.ts";

export interface UiOptions {
  /** Without an `index.html` the dashboard was not built. */
  readonly files: UiFiles;
  /** Below which path of its host this server is seen: empty, or a path without a slash at its end. */
  prefixOf(request: FastifyRequest): string;
}

/** Where the build puts it; as far from src/ as from dist/. */
export const builtUi = fileURLToPath(new URL("../../../dist/ui", import.meta.url));

const indexFile = "index.html";
/** Their names change with their content. */
const assets = "assets/";
const yearSeconds = 31_536_000;
const forGood = `public, max-age=${yearSeconds}, immutable`;
const askAgain = "no-cache";

export function ui(app: FastifyInstance, { files, prefixOf }: UiOptions): void {
  const index = files.get(indexFile);
  const page = index === undefined ? notBuilt : index.bytes.toString("utf8");

  // Relative, so that it leads there behind a proxy as well.
  // `*`, which the router takes for it, is no path.
  app.get("/", ({ url }, reply) => (url.startsWith("/") ? reply.redirect("ui/", 302) : reply.callNotFound()));
  app.register(
    async (inner) => {
      inner.addHook("onRequest", (_, reply, done) => {
        reply.headers(uiHeaders);
        done();
      });
      inner.get("/*", async (request, reply) => {
        const { "*": path } = request.params as { "*": string };
        const file = path === indexFile ? undefined : files.get(path);
        if (file !== undefined) return sendFile(request, reply, file, path.startsWith(assets) ? forGood : askAgain);
        // A page that was loaded before an update asks for what is gone: it must not take the page for a script.
        if (path.startsWith(assets)) return reply.callNotFound();
        return sendPage(
          request,
          reply,
          page.replace(ownBase, () => `<base href="${prefixOf(request)}/ui/">`),
        );
      });
      inner.route({ method: ["POST", "PUT", "PATCH", "DELETE"], url: "/*", handler: onlyRead });
    },
    { prefix: "/ui" },
  );
  app.get("/ui", (_, reply) => reply.headers(uiHeaders).redirect("ui/", 302));
}

/** With or without the slash that formatters like. */
const ownBase = /<base href="\/ui\/" ?\/?>/;

const notBuilt = [
  "<!doctype html>",
  '<html lang="en">',
  '<head><meta charset="utf-8"><title>Leadhand</title></head>',
  "<body><h1>Leadhand</h1>",
  "<p>The server is running. Its dashboard was not built: <code>npm run build</code> makes it, and the next start shows it.</p>",
  "</body></html>",
  "",
].join("\n");

async function sendFile(request: FastifyRequest, reply: FastifyReply, file: UiFile, cached: string): Promise<unknown> {
  reply.type(file.type).headers({ "cache-control": cached, vary: "accept-encoding" });
  const encoding = acceptedEncoding(request.headers["accept-encoding"]);
  const encoded = encoding === null ? null : await file.encoded(encoding);
  if (encoding === null || encoded === null) return sendTagged(request, reply, file.bytes, file.tag);
  return sendTagged(request, reply.header("content-encoding", encoding), encoded, `${file.tag}-${encoding}`);
}

function sendPage(request: FastifyRequest, reply: FastifyReply, text: string): FastifyReply {
  const bytes = Buffer.from(text);
  const typed = reply.type("text/html; charset=utf-8").header("cache-control", askAgain);
  return sendTagged(request, typed, bytes, tagOf(bytes));
}

function sendTagged(request: FastifyRequest, reply: FastifyReply, bytes: Buffer, tag: string): FastifyReply {
  const quoted = `"${tag}"`;
  reply.header("etag", quoted);
  if (!hasAlready(request.headers["if-none-match"], quoted)) return reply.send(bytes);
  return reply.removeHeader("content-encoding").code(304).send();
}

function onlyRead(_: FastifyRequest, reply: FastifyReply): never {
  reply.header("allow", "GET, HEAD");
  throw new Problem("method-not-allowed", "The dashboard can only be read");
}
