// The accessibility check of axe-core, by WCAG 2.2 AA and good practice.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults, Result } from "axe-core";
import type { Page } from "playwright-core";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** Lines of one finding: the first places will do. */
const placesMax = 5;

/** Fails on what axe calls serious or critical, and says where it is. */
export async function axe(page: Page): Promise<void> {
  await bringAxe(page);
  const run = `axe.run(document, { runOnly: ${JSON.stringify(rules)}, resultTypes: ["violations"] })`;
  const { violations } = await page.evaluate<AxeResults>(run);
  const grave = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  assert.ok(grave.length === 0, `${page.url()} is not accessible:\n${grave.map(described).join("\n")}`);
}

/** By the debugger's way in: no page of ours lets itself be given a script. */
async function bringAxe(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: `globalThis.axe ?? (() => { ${source} })()` });
  await session.detach();
}

function described({ id, impact, help, nodes }: Result): string {
  const places = nodes.slice(0, placesMax).map(({ target, failureSummary }) => {
    return `      ${target.join(" ")}: ${failureSummary?.replaceAll(/\s+/g, " ")}`;
  });
  const more = nodes.length > placesMax ? [`      and ${nodes.length - placesMax} more`] : [];
  return [`  - ${id} (${impact}): ${help}`, ...places, ...more].join("\n");
}
