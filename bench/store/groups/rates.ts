import { bothStores, cpuEach } from "../../figures.ts";
import type { Comparison, Figure, Group } from "../../measurement.ts";
import type { Sized } from "../../sizes.ts";

interface Rates {
  readonly name: string;
  readonly title: string;
  readonly method: string;
  readonly on: readonly { readonly name: string; readonly title: string; readonly stage: string }[];
  readonly comparison: Comparison;
}

const ratesMethod = "Rates through the engine, 4 workers of credit 100";

export const depth: Rates = {
  name: "depth",
  title: "Rates by pending tasks",
  method: `${ratesMethod}, with 10 thousand and with 1 million pending tasks in the database.`,
  on: [
    { name: "depth-10k", title: "10 k pending", stage: "pending-10k" },
    { name: "depth-1m", title: "1 M pending", stage: "pending-1m" },
  ],
  comparison: {
    name: "depth-loss",
    title: "loss from 10 k to 1 M pending",
    base: "depth-10k",
    loaded: "depth-1m",
    lossMax: 15,
  },
};

export const history: Rates = {
  name: "history",
  title: "Rates by history",
  method: `${ratesMethod}, with 10 thousand and with 10 million rows of history (a third as many finished tasks) beside 10 thousand pending tasks. History is copied inside the database, for at most four minutes.`,
  on: [
    { name: "history-10k", title: "10 k rows of history", stage: "history-10k" },
    { name: "history-10m", title: "10 M rows of history", stage: "history-10m" },
  ],
  comparison: {
    name: "history-loss",
    title: "loss from 10 k to 10 M rows of history",
    base: "history-10k",
    loaded: "history-10m",
    lossMax: 15,
  },
};

/** By the names of their figures. */
const titles = {
  bulk: "submit, bulk",
  singles: "submit, 64 singles",
  claim: "claim",
  settle: "settle",
  drain: "claim and settle together",
} as const;

export function rates(sized: Sized, { name, title, method, on, comparison }: Rates): Group {
  const figures = Object.entries(titles).flatMap(([key, title]): Figure[] => [
    { key, title, unit: "/s" },
    ...cpuEach(`${key}-`),
  ]);
  const parameters = sized({ tasks: [30_000, 500] });
  return {
    name,
    title,
    method,
    measurements: on.map((each) => ({
      ...each,
      stores: bothStores,
      file: "store/measures/rates",
      parameters,
      figures,
    })),
    comparisons: [comparison],
  };
}
