import Type from "typebox";
import { NamedPause, NoteWords, PauseWords, QueuePath, QueueSummary } from "./control-bodies.ts";
import * as examples from "./examples.ts";
import type { RouteSpec } from "./route.ts";
import { JobName, orNull, PageQuery, pageOf } from "./words.ts";

const JobPath = Type.Object({ job_name: JobName });
const paused = { 200: { description: "The pause.", schema: NamedPause, example: examples.pause } };
const resumed = {
  200: {
    description: "The pause that has ended; null where there was none.",
    schema: Type.Object({ ended: orNull(NamedPause) }),
    example: { ended: examples.pause },
  },
};
const description = "Nothing of it is given to anybody; what runs goes on, and more may be submitted. For admins.";

/** What operators do to jobs and queues. */
export const pauseRoutes = {
  pauseJob: {
    id: "pauseJob",
    method: "POST",
    path: "/jobs/{job_name+}/pause",
    tag: "control",
    summary: "Pause a job",
    description,
    params: JobPath,
    body: PauseWords,
    bodyOptional: true,
    example: { note: "it eats the disk", for_seconds: 600 },
    answers: paused,
    problems: ["job-not-found"],
  },
  resumeJob: {
    id: "resumeJob",
    method: "POST",
    path: "/jobs/{job_name+}/resume",
    tag: "control",
    summary: "Let a job go on",
    description: "For admins.",
    params: JobPath,
    body: NoteWords,
    bodyOptional: true,
    example: {},
    answers: resumed,
    problems: ["job-not-found"],
  },
  pauseQueue: {
    id: "pauseQueue",
    method: "POST",
    path: "/queues/{queue}/pause",
    tag: "control",
    summary: "Pause a queue",
    description,
    params: QueuePath,
    body: PauseWords,
    bodyOptional: true,
    example: { note: "the provider is down" },
    answers: paused,
    problems: [],
  },
  resumeQueue: {
    id: "resumeQueue",
    method: "POST",
    path: "/queues/{queue}/resume",
    tag: "control",
    summary: "Let a queue go on",
    description: "For admins.",
    params: QueuePath,
    body: NoteWords,
    bodyOptional: true,
    example: {},
    answers: resumed,
    problems: [],
  },
  listQueues: {
    id: "listQueues",
    method: "GET",
    path: "/queues",
    tag: "control",
    summary: "List queues",
    query: PageQuery,
    answers: {
      200: {
        description: "A page of queues, by name.",
        schema: pageOf(QueueSummary),
        example: examples.page(examples.queue),
      },
    },
    problems: [],
  },
  listPauses: {
    id: "listPauses",
    method: "GET",
    path: "/pauses",
    tag: "control",
    summary: "List what is paused",
    description: "Jobs, queues and workers that are yours to see.",
    query: PageQuery,
    answers: {
      200: {
        description: "A page of pauses, by kind and name.",
        schema: pageOf(NamedPause),
        example: examples.page(examples.pause),
      },
    },
    problems: [],
  },
} as const satisfies Record<string, RouteSpec>;
