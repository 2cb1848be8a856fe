// What is measured of a server with workers and viewers at work, in the order in which it is measured.

import { bothStores, rateFigures, setting } from "../figures.ts";
import type { Figure, Group, Measurement, Targets } from "../measurement.ts";
import { type Sized, sizes } from "../sizes.ts";

export function liveGroups(quick: boolean): Group[] {
  const sized = sizes(quick);
  return [wakeUps(sized), worker(sized), viewers(sized), providers(sized)];
}

function onBoth(target: { readonly atLeast: number } | { readonly atMost: number }): Targets {
  return { sqlite: target, postgres: target };
}

function beside(key: string, title: string, unit: Figure["unit"]): Figure {
  return { key, title, unit, beside: true };
}

function wakeUps(sized: Sized): Group {
  const by = (name: string, title: string, file: Measurement["file"]): Measurement => ({
    name,
    title,
    stage: null,
    stores: bothStores,
    file,
    parameters: sized({ tasks: [400, 60] }),
    figures: [
      { key: "startP50Ms", title: "handler starts", unit: "ms", targets: onBoth({ atMost: 10 }) },
      { key: "startP99Ms", title: "p99", unit: "ms", targets: onBoth({ atMost: 30 }) },
      beside("startMostMs", "at most", "ms"),
    ],
  });
  return {
    name: "live-wake-up",
    title: "Workers: from submit to handler",
    method: `${setting} The worker is a third. All of them are idle; then one task is submitted, again and again. Times are from the sending of the submit to the first line of the handler, so they include the commits of submit, claim and start. A JobManager serves by itself and is woken over Socket.IO; a Worker's claim waits at the server.`,
    measurements: [
      by("live-wake-up-socket", "JobManager, Socket.IO", "live/measures/wake-up-socket"),
      by("live-wake-up-poll", "Worker, long poll", "live/measures/wake-up-poll"),
    ],
  };
}

function worker(sized: Sized): Group {
  return {
    name: "live-worker",
    title: "Workers: throughput",
    method: `${setting} The client is one Worker over REST with a job that does nothing. Tasks with 200-byte payloads are submitted beforehand; a thousand more are done first to warm up.`,
    measurements: [
      {
        name: "live-worker",
        title: "one Worker, concurrency 8",
        stage: null,
        stores: bothStores,
        file: "live/measures/worker",
        parameters: sized({ concurrency: 8, tasks: [20_000, 4_000] }),
        figures: rateFigures("tasks", "tasks", { sqlite: { atLeast: 1_500 } }),
      },
    ],
  };
}

function viewers(sized: Sized): Group {
  const crowd = (viewers: number, quickly: number, eventsPerSecond: number): Measurement => ({
    name: `live-viewers-${viewers}`,
    title: `${viewers.toLocaleString("en-US")} viewers, ${eventsPerSecond} events/s`,
    stage: null,
    stores: bothStores,
    file: "live/measures/viewers",
    parameters: sized({ viewers: [viewers, quickly], eventsPerSecond, seconds: [10, 2] }),
    figures: [
      { key: "missed", title: "events missed, of all viewers", unit: "", targets: onBoth({ atMost: 0 }) },
      { key: "residentMb", title: "memory of the server", unit: "MB", targets: onBoth({ atMost: 300 }) },
      { key: "events", title: "events", unit: "/s", targets: onBoth({ atLeast: 0.95 * eventsPerSecond }) },
      beside("deliveries", "deliveries", "/s"),
      beside("serverUsEach", "CPU of the server per delivery", "µs"),
      beside("viewersUsEach", "of the viewers", "µs"),
      { key: "deliveryP50Ms", title: "delivery", unit: "ms" },
      beside("deliveryP99Ms", "p99", "ms"),
      beside("deliveryMostMs", "at most", "ms"),
    ],
  });
  return {
    name: "live-viewers",
    title: "Socket.IO: viewers of one room",
    method: `${setting} The viewers are a third; each is a WebSocket connection that has joined the room and keeps what it is told, and when. Tasks are submitted, claimed, started and completed at a steady pace, which makes four events each. Afterwards every viewer has to know how every task ended, or the run fails; events that it was spared on the way are counted as missed. Delivery is from the sending of the request to the arrival at each viewer. Memory is the largest resident size.`,
    measurements: [crowd(200, 100, 500), crowd(2_000, 500, 40)],
  };
}

function providers(sized: Sized): Group {
  return {
    name: "live-provider",
    title: "Providers: cached reads",
    method: `${setting} The client asks a provider for 1 kB that is there already, over connections that stay open, one request at a time on each, and compares every byte.`,
    measurements: [
      {
        name: "live-provider-read",
        title: "32 connections",
        stage: null,
        stores: bothStores,
        file: "live/measures/provider-read",
        parameters: sized({ connections: 32, reads: [50_000, 2_000] }),
        figures: rateFigures("reads", "reads", onBoth({ atLeast: 3_000 })),
      },
    ],
  };
}
