// A query as a person sees it answered: from Enter until other rows are on the screen.

import type { Page } from "playwright-core";
import { type Measured, type MeasureInput, parameter } from "../../measure.ts";
import { percentile } from "../../statistics.ts";
import { askRows, openDashboard, queryBar } from "../dashboard.ts";
import { queryKinds } from "../queries.ts";

const answeredMsMax = 10_000;

export async function measure(input: MeasureInput): Promise<Measured> {
  const { settled, stop } = await openDashboard(input);
  const page = await settled("tasks");
  const kinds = queryKinds.filter(({ mayBeDeep }) => mayBeDeep !== true);
  const queries = inTurns(kinds.map((kind) => kind.queries(input.facts))).filter((query) => query !== "");
  const times: Filtered[] = [];
  // The first round finds code that has not run yet.
  const rounds = parameter(input, "rounds");
  for (let round = 0; round <= rounds; round += 1) {
    for (const query of queries) {
      const ms = await filter(page, query);
      if (round > 0) times.push({ query, ms });
    }
  }
  await stop();
  const all = times.map(({ ms }) => ms);
  const slowest = times.reduce((most, each) => (each.ms > most.ms ? each : most));
  return {
    figures: {
      answerP95Ms: percentile(all, 0.95),
      answerP50Ms: percentile(all, 0.5),
      answerMostMs: slowest.ms,
      queries: queries.length,
    },
    notes: [`the slowest was \`${slowest.query}\``],
  };
}

interface Filtered {
  readonly query: string;
  readonly ms: number;
}

/** One of each kind, then the next of each: two after one another have different tasks. */
function inTurns(kinds: readonly (readonly string[])[]): string[] {
  const most = Math.max(...kinds.map(({ length }) => length));
  return Array.from({ length: most }, (_, nth) => kinds.flatMap((kind) => kind[nth] ?? [])).flat();
}

async function filter(page: Page, query: string): Promise<number> {
  const bar = page.locator(queryBar);
  await bar.focus();
  await bar.selectText();
  await askRows(page, `expectOthers(${answeredMsMax})`);
  // All at once: what is suggested on the way is not what is measured.
  await page.keyboard.insertText(query);
  await page.keyboard.press("Enter");
  return askRows(page, "replaced()").catch((error: unknown) => {
    throw new Error(`After ${query}: ${error instanceof Error ? error.message : error}`);
  });
}
