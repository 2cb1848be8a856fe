// What is measured of a server with consumers behind RabbitMQ, in the order in which it is measured.

import { bothStores, rateFigures } from "../figures.ts";
import type { Group, Measurement, Targets } from "../measurement.ts";
import { type Sized, sizes } from "../sizes.ts";
import { costFigures } from "./cost.ts";

export function amqpGroups(quick: boolean): Group[] {
  const sized = sizes(quick);
  return [messages(sized), tasks(sized), pipeline(sized), increments(sized)];
}

const setting =
  "A private RabbitMQ, one `leadhand serve`, and consumers of the SDK in processes of their own, all on one machine. Messages are persistent and confirmed.";

const both = (atLeast: number): Targets => ({ sqlite: { atLeast }, postgres: { atLeast } });

function messages(sized: Sized): Group {
  const common = { messages: [40_000, 8_000], warmUp: [5_000, 2_000], prefetch: 1_000 } as const;
  const consumed = { key: "consumed", title: "consumed and acknowledged", unit: "/s" } as const;
  const operations = (name: string, title: string, shape: Readonly<Record<string, number>>): Measurement => ({
    ...{ name: `amqp-operations${name}`, title, stage: null, stores: bothStores, file: "amqp/measures/operations" },
    parameters: sized({ ...common, ...shape }),
    figures: [{ ...consumed, title: "consumed, counted and acknowledged" }, ...costFigures("consumed")],
  });
  return {
    name: "amqp-messages",
    title: "RabbitMQ: operation messages",
    method: `${setting} Messages are published first and consumed afterwards. Raw is the client library alone: published with confirms, then consumed and acknowledged by another process with a prefetch of 1,000. Operations are the same messages, by a consumer with 500 hands and the same prefetch: each is read, its handler run, its parent's count of it committed by the server, and only then is it acknowledged. A run that does not end its parent with exactly as many as there are is no run.`,
    measurements: [
      {
        ...{ name: "amqp-raw", title: "raw", stage: null, stores: bothStores, file: "amqp/measures/raw" },
        parameters: sized(common),
        figures: [
          { key: "published", title: "published and confirmed", unit: "/s" },
          { key: "published-clientUs", title: "CPU of the client each", unit: "µs", beside: true },
          { key: "published-brokerUs", title: "of RabbitMQ", unit: "µs", beside: true },
          consumed,
          ...costFigures("consumed"),
        ],
      },
      operations("", "operations, one consumer", { processes: 1, consumers: 1, concurrency: 500 }),
      operations("-16", "operations, 16 consumers in two processes", {
        ...{ processes: 2, consumers: 16, concurrency: 50, prefetch: 100 },
      }),
    ],
    comparisons: [
      {
        name: "amqp-operations-loss",
        title: "loss from raw to operations",
        ...{ base: "amqp-raw", loaded: "amqp-operations", lossMax: 50 },
      },
    ],
  };
}

function tasks(sized: Sized): Group {
  return {
    name: "amqp-tasks",
    title: "RabbitMQ: task messages",
    method: `${setting} Tasks are submitted in calls of a thousand, two under way; the server tells the queue of each by a message; a consumer with 200 hands claims them by their ids, runs them, and tells how they ended. From the first submit to the last end; every task has its row and its history.`,
    measurements: [
      {
        ...{ name: "amqp-tasks", title: "one consumer", stage: null, stores: bothStores, file: "amqp/measures/tasks" },
        parameters: sized({
          ...{ processes: 1, concurrency: 200, prefetch: 400, tasks: [20_000, 2_000], warmUp: [5_000, 1_000] },
        }),
        figures: [
          { key: "tasks", title: "submitted, told, claimed, run, completed", unit: "/s", targets: both(4_000) },
          ...costFigures("tasks"),
        ],
      },
    ],
  };
}

function pipeline(sized: Sized): Group {
  return {
    name: "amqp-pipeline",
    title: "RabbitMQ: the pipeline of batches",
    method: `${setting} A coordinator sends 1,000 batch messages of 64 items each and defers; a consumer of batches sends each on as a write message of 64 rows; a consumer of writes counts it on the coordinator, and the last one ends it. Handlers do nothing else. From the coordinator's submit to its end, ten of them one after the other. Raw is what a small message takes, of 20,000, to be published and confirmed, then consumed and acknowledged.`,
    measurements: [
      {
        ...{ name: "amqp-pipeline", title: "a process for each queue", stage: null, stores: bothStores },
        file: "amqp/measures/pipeline",
        parameters: sized({
          ...{ batches: [1_000, 100], items: 64, runs: [10, 2], warmUp: [3, 1], concurrency: 100, prefetch: 500 },
        }),
        figures: [
          { key: "items", title: "items", unit: "/s" },
          ...costFigures("items"),
          { key: "messageUs", title: "each message, of two for a batch", unit: "µs" },
          { key: "rawUs", title: "raw", unit: "µs", beside: true },
          { key: "overheadUs", title: "over raw", unit: "µs", beside: true },
        ],
      },
    ],
  };
}

function increments(sized: Sized): Group {
  return {
    name: "amqp-increments",
    title: "RabbitMQ: counts on one parent",
    method:
      "One `leadhand serve`; 16 consumers in two processes count on one parent over HTTP, each by the SDK's own gathering with 64 messages in hand, one message in ten twice. No broker is involved. A run that does not end the parent with exactly as many as there are is no run.",
    measurements: [
      {
        ...{ name: "amqp-increments", title: "16 consumers", stage: null, stores: bothStores },
        file: "amqp/measures/increments",
        parameters: sized({
          ...{ marks: [100_000, 2_000], warmUp: [10_000, 1_000], processes: 2, consumers: 16, inHand: 64 },
        }),
        figures: rateFigures("counted", "counted", both(10_000)),
      },
    ],
  };
}
