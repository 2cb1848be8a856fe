// What is measured of the dashboard, in the order in which it is measured.

import { bothStores, setting } from "../figures.ts";
import type { Figure, Group, Measurement, Target, Targets } from "../measurement.ts";
import { type Sized, sizes } from "../sizes.ts";
import { plainFilters, queryKinds } from "./queries.ts";

const board =
  "The database has 1 M tasks of the last seven days, of 40 jobs in 12 rooms, with their histories: 92 % completed, 5 % failed in 30 ways, 1 % cancelled, 2 % open in all states, payloads of 300 bytes; and a fleet of 1,000 workers.";
const inChromium =
  "Chromium without a head and without a graphics card, 1,440 × 900, driven by playwright-core on the same machine; times are taken inside the page.";

export function uiGroups(quick: boolean): Group[] {
  const sized = sizes(quick);
  return [api(sized), paint(sized), filter(sized), events(sized), scroll(sized), memory(sized)];
}

function onBoth(target: Target): Targets {
  return { sqlite: target, postgres: target };
}

function beside(key: string, title: string, unit: Figure["unit"]): Figure {
  return { key, title, unit, beside: true };
}

function api(sized: Sized): Group {
  const answers = (kinds: readonly { readonly key: string; readonly title: string }[]): Figure[] =>
    kinds.flatMap(({ key, title }) => [
      { key: `${key}P95Ms`, title: `${title}, p95`, unit: "ms", targets: onBoth({ atMost: 200 }) } as const,
      beside(`${key}P50Ms`, "p50", "ms"),
      beside(`${key}MostMs`, "at most", "ms"),
    ]);
  const asking = (language: string, title: string, figures: readonly Figure[]): Measurement => ({
    name: `ui-api-${language}`,
    title,
    stage: "board",
    stores: bothStores,
    file: "ui/measures/api",
    parameters: { language, ...sized({ asks: [60, 6] }) },
    figures,
    secondsMax: 900,
  });
  return {
    name: "ui-api",
    title: "Dashboard: queries, over HTTP",
    method: `${setting} ${board} \`GET /v1/tasks\` with \`limit=50\` over one connection, one request after the other, each query asked once beforehand. With a query payloads are left out, as the list leaves them out.`,
    measurements: [
      asking("filters", "filters", answers(plainFilters)),
      asking("queries", "queries", answers(queryKinds)),
    ],
  };
}

function paint(sized: Sized): Group {
  const of = (page: string, title: string): Measurement => ({
    name: `ui-paint-${page}`,
    title,
    stage: "board",
    stores: bothStores,
    file: "ui/measures/paint",
    parameters: { page, ...sized({ loads: [10, 2] }) },
    figures: [
      { key: "coldMs", title: "first visit", unit: "ms", targets: onBoth({ atMost: 1_000 }) },
      beside("coldMostMs", "at most", "ms"),
      beside("coldLargestMs", "largest contentful paint", "ms"),
      { key: "warmMs", title: "visited before", unit: "ms" },
      beside("warmMostMs", "at most", "ms"),
      beside("warmLargestMs", "largest contentful paint", "ms"),
    ],
  });
  return {
    name: "ui-paint",
    title: "Dashboard: first meaningful paint",
    method: `${setting} ${board} ${inChromium} From the navigation until the frame with the first row, or with the throughput, is on the screen; the median of ten visits. A first visit has an empty cache.`,
    measurements: [of("tasks", "Tasks"), of("pulse", "Pulse")],
  };
}

function filter(sized: Sized): Group {
  return {
    name: "ui-filter",
    title: "Dashboard: queries, as they are seen",
    method: `${setting} ${board} ${inChromium} Queries of every kind are entered in turn; from the key press of Enter until the frame with other rows is on the screen.`,
    measurements: [
      {
        name: "ui-filter",
        title: "Tasks",
        stage: "board",
        stores: bothStores,
        file: "ui/measures/filter",
        parameters: sized({ rounds: [3, 1] }),
        figures: [
          { key: "answerP95Ms", title: "rows replaced, p95", unit: "ms", targets: onBoth({ atMost: 200 }) },
          beside("answerP50Ms", "p50", "ms"),
          beside("answerMostMs", "at most", "ms"),
          beside("queries", "different queries", ""),
        ],
        secondsMax: 600,
      },
    ],
  };
}

function events(sized: Sized): Group {
  const of = (page: string, title: string): Measurement => ({
    name: `ui-events-${page}`,
    title: `${title}, 500 events/s`,
    stage: "board",
    stores: bothStores,
    file: "ui/measures/events",
    parameters: { page, ...sized({ eventsPerSecond: [500, 100], seconds: [20, 4] }) },
    figures: [
      {
        key: "pagePercent",
        title: "processor time of the page, of a core",
        unit: "%",
        targets: onBoth({ atMost: 30 }),
      },
      beside("idlePercent", "without events", "%"),
      beside("drawingPercent", "of what draws for it", "%"),
      beside("serverPercent", "of the server", "%"),
      beside("events", "events", "/s"),
      beside("told", "of which the page is told", "/s"),
    ],
  });
  return {
    name: "ui-events",
    title: "Dashboard: live",
    method: `${setting} ${board} ${inChromium} Eight workers in a third process claim, start and complete what is submitted, over REST, which makes four events a task. The page's share is that of Chromium's renderer processes, all their threads.`,
    measurements: [of("tasks", "Tasks"), of("pulse", "Pulse")],
  };
}

function scroll(sized: Sized): Group {
  const at = (name: string, title: string, eventsPerSecond: number): Measurement => ({
    name,
    title,
    stage: "board",
    stores: bothStores,
    file: "ui/measures/scroll",
    parameters: { eventsPerSecond, ...sized({ seconds: [10, 3] }) },
    figures: [
      { key: "latePercent", title: "frames later than 34 ms", unit: "%", targets: onBoth({ atMost: 1 }) },
      beside("framesPerSecond", "frames", "/s"),
      beside("gapP99Ms", "p99 between two", "ms"),
      beside("gapMostMs", "at most", "ms"),
      beside("droppedPercent", "dropped, by Chromium's trace", "%"),
    ],
  });
  return {
    name: "ui-scroll",
    title: "Dashboard: scrolling the task list",
    method: `${setting} ${board} ${inChromium} The list is scrolled down for ten seconds at 2,700 pixels a second, by the same gesture as a mouse wheel's; the times between frames are those between animation frames in the page.`,
    measurements: [at("ui-scroll", "nothing else happens", 0), at("ui-scroll-events", "500 events/s", 500)],
  };
}

function memory(sized: Sized): Group {
  const of = (page: string, title: string): Measurement => ({
    name: `ui-memory-${page}`,
    title,
    stage: "board",
    stores: ["sqlite"],
    file: "ui/measures/memory",
    parameters: { page, ...sized({ eventsPerSecond: [100, 100], minutes: [5, 0.2], sampleSeconds: [60, 3] }) },
    figures: [
      { key: "grownMb", title: "heap grows by", unit: "MB", targets: onBoth({ atMost: 5 }) },
      beside("startMb", "from", "MB"),
      beside("endMb", "to", "MB"),
      beside("mbPerHour", "slope, an hour", "MB"),
      beside("nodesGrown", "more nodes", ""),
      beside("listenersGrown", "more listeners", ""),
      beside("minutes", "minutes", ""),
      beside("told", "events told", ""),
    ],
    rounds: 1,
    secondsMax: 5_400,
  });
  return {
    name: "ui-memory",
    title: "Dashboard: a tab left open",
    method: `${setting} ${board} ${inChromium} 100 events a second arrive; the heap of the page, with its document and its texts and buffers and without what Chromium notes of its requests for whoever drives it, is read after a garbage collection, first after a minute of events and then every minute. One run; \`--minutes 60\` makes it an hour.`,
    measurements: [of("tasks", "Tasks"), of("pulse", "Pulse")],
  };
}
