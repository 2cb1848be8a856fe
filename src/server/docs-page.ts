// The page at /docs: the OpenAPI document as plain HTML, without scripts.

import { type ProblemCode, problems } from "../core/problem.ts";
import { fleetRouteList } from "../protocol/fleet/routes.ts";
import { mountedPath, problemsOf } from "../protocol/openapi.ts";
import type { AnswerSpec, RouteSpec } from "../protocol/rest/route.ts";
import { routeList } from "../protocol/rest/routes.ts";

// Colours that a browser takes by itself are said aloud: programs that measure contrast see no others.
const style = `
  :root { color-scheme: light dark; background: Canvas; color: CanvasText; --line: color-mix(in srgb, currentColor 20%, transparent); }
  body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 62rem; padding: 1rem; }
  h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); }
  details { border: 1px solid var(--line); border-radius: .4rem; margin: .5rem 0; padding: .4rem .8rem; }
  summary { cursor: pointer; } summary code { font-weight: 600; overflow-wrap: anywhere; }
  .method { display: inline-block; font: 600 .8rem monospace; min-width: 4rem; }
  pre { background: color-mix(in srgb, currentColor 7%, transparent); border-radius: .4rem; overflow: auto; padding: .6rem; }
  table { border-collapse: collapse; width: 100%; } td, th { border-top: 1px solid var(--line); padding: .3rem .6rem .3rem 0; text-align: left; vertical-align: top; }
  td { overflow-wrap: anywhere; }
`;

const described = [...routeList, ...fleetRouteList];

export function docsPage(version: string, prefix: string): string {
  const tags = [...new Set(described.map(({ tag }) => tag))];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Leadhand ${escaped(version)}: API</title>
<style>${style}</style>
</head>
<body>
<h1>Leadhand API</h1>
<p>Version ${escaped(version)}. The same as a machine reads it: <a href="${prefix}/openapi.json">OpenAPI 3.1</a>.
The WebSocket of workers, <code>/work</code>, is described in <a href="${prefix}/asyncapi.json">AsyncAPI 3</a>.
Every request needs a token: <code>Authorization: Bearer …</code>.</p>
${tags.map((tag) => `<h2 id="${tag}">${tag}</h2>\n${sectionOf(tag, prefix)}`).join("\n")}
<h2 id="problems">problems</h2>
<p>Refusals are <code>application/problem+json</code> (RFC 9457); <code>type</code> is <code>/v1/problems/</code> and the code.</p>
${table(["code", "status", "title", "try again"], problemRows())}
</body>
</html>
`;
}

function sectionOf(tag: RouteSpec["tag"], prefix: string): string {
  return described
    .filter((spec) => spec.tag === tag)
    .map((spec) => routeHtml(spec, prefix))
    .join("\n");
}

function routeHtml(spec: RouteSpec, prefix: string): string {
  const path = escaped(mountedPath(spec, prefix));
  const parts = [
    ...[spec.description].filter((text) => text !== undefined).map((text) => `<p>${escaped(text)}</p>`),
    ...(["params", "query", "headers", "body"] as const).map((part) => fieldsHtml(part, spec[part])),
    spec.example === undefined ? "" : `<h4>Example</h4>${jsonHtml(spec.example)}`,
    ...Object.entries(spec.answers).map(([status, answer]) => answerHtml(status, answer)),
    `<h4>Problems</h4><p>${[...problemsOf(spec)].map(([status, codes]) => `${status}: ${codes.join(", ")}`).join("; ")}</p>`,
  ];
  const title = `<span class="method">${spec.method}</span> <code>${path}</code> ${escaped(spec.summary)}`;
  return `<details id="${spec.id}"><summary>${title}</summary>${parts.join("\n")}</details>`;
}

const partTitles = { params: "Path", query: "Query", headers: "Headers", body: "Body" };

function fieldsHtml(part: keyof typeof partTitles, schema: RouteSpec["body"]): string {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    readonly properties?: Readonly<Record<string, Record<string, unknown>>>;
    readonly required?: readonly string[];
  };
  const rows = Object.entries(properties).map(([name, { description, ...about }]) => [
    `<code>${escaped(name)}</code>${required.includes(name) && !("default" in about) ? " *" : ""}`,
    `<code>${escaped(JSON.stringify(about))}</code>`,
    escaped(String(description ?? "")),
  ]);
  return rows.length === 0 ? "" : `<h4>${partTitles[part]}</h4>${table(["field", "schema", ""], rows)}`;
}

function answerHtml(status: string, { description, example }: AnswerSpec): string {
  return `<h4>${status}: ${escaped(description)}</h4>${example === undefined ? "" : jsonHtml(example)}`;
}

function problemRows(): string[][] {
  return (Object.keys(problems) as ProblemCode[]).map((code) => {
    const { status, title, retry } = problems[code];
    return [`<code id="${code}">${code}</code>`, String(status), title, retry ? "yes" : ""];
  });
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = heads.map((text) => `<th>${text}</th>`).join("");
  return `<table><tr>${head}</tr>${rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join("")}</tr>`).join("")}</table>`;
}

function jsonHtml(value: unknown): string {
  return `<pre>${escaped(JSON.stringify(value, null, 2))}</pre>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
