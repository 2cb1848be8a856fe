import Type from "typebox";
import * as examples from "./examples.ts";
import type { RouteSpec } from "./route.ts";
import {
  JobVersions,
  PutSpec,
  Spec,
  SpecBody,
  SpecConditions,
  SpecDiff,
  SpecDiffBody,
  SpecId,
  SpecsBody,
} from "./spec-bodies.ts";
import { JobName, PageQuery, pageOf } from "./words.ts";

const SpecPath = Type.Object({ spec_id: SpecId });

const etag = { ETag: "The checksum, in quotes; for `If-Match`." };

export const specRoutes = {
  putSpec: {
    id: "putSpec",
    method: "PUT",
    path: "/specs/{spec_id+}",
    tag: "specs",
    summary: "Register a spec",
    description:
      "Says what the status quo of a job is, and so needs a superuser. With `If-None-Match: *` it only brings what is " +
      "missing, and needs no more than registering a job in that room.",
    params: SpecPath,
    headers: SpecConditions,
    body: SpecBody,
    example: { schema: examples.job.schema, policy: { retry: { maxAttempts: 3 } } },
    answers: {
      200: {
        description: "It was there; this is the status quo now.",
        schema: PutSpec,
        headers: etag,
        example: examples.putSpec,
      },
      201: { description: "It is new, or is back.", schema: PutSpec, headers: etag, example: examples.newSpec },
    },
    problems: ["invalid-room-id", "invalid-category", "precondition-failed"],
  },
  putSpecs: {
    id: "putSpecs",
    method: "POST",
    path: "/specs",
    tag: "specs",
    summary: "Register many specs, all or none",
    description: "One transaction. What is wrong is told of all of them at once. For superusers.",
    body: SpecsBody,
    example: { specs: [{ id: "rotate", schema: examples.job.schema }] },
    answers: {
      200: {
        description: "In the order given.",
        schema: Type.Object({ items: Type.Array(PutSpec) }),
        example: { items: [examples.newSpec] },
      },
    },
    problems: [],
  },
  diffSpec: {
    id: "diffSpec",
    method: "POST",
    path: "/specs/diff",
    tag: "specs",
    summary: "Compare a spec with the registered one",
    description: "Registers nothing.",
    body: SpecDiffBody,
    example: { id: "rotate", schema: examples.job.schema },
    answers: { 200: { description: "What it would change.", schema: SpecDiff, example: examples.specDiff } },
    problems: [],
  },
  listSpecs: {
    id: "listSpecs",
    method: "GET",
    path: "/specs",
    tag: "specs",
    summary: "List specs",
    query: Type.Object({
      room: Type.Optional(Type.String({ description: "Of this room alone." })),
      ...PageQuery.properties,
    }),
    answers: {
      200: {
        description: "A page of specs, newest first.",
        schema: pageOf(Spec),
        example: examples.page(examples.spec),
      },
    },
    problems: ["invalid-room-id"],
  },
  getSpec: {
    id: "getSpec",
    method: "GET",
    path: "/specs/{spec_id+}",
    tag: "specs",
    summary: "Read a spec",
    params: SpecPath,
    answers: { 200: { description: "The spec.", schema: Spec, headers: etag, example: examples.spec } },
    problems: ["job-not-found"],
  },
  deleteSpec: {
    id: "deleteSpec",
    method: "DELETE",
    path: "/specs/{spec_id+}",
    tag: "specs",
    summary: "Delete a spec",
    description: "Only one that was registered as a spec, and for which no task waits. For superusers.",
    params: SpecPath,
    answers: { 204: { description: "It is gone." } },
    problems: ["invalid-room-id", "job-not-found", "spec-in-use"],
  },
  getJobVersions: {
    id: "getJobVersions",
    method: "GET",
    path: "/jobs/{job_name+}/versions",
    tag: "specs",
    summary: "Read which checksums of a job are in use",
    description: "The registered one, what the workers that are there announced, and whether somebody can run the job.",
    params: Type.Object({ job_name: JobName }),
    answers: { 200: { description: "The checksums.", schema: JobVersions, example: examples.jobVersions } },
    problems: ["job-not-found"],
  },
} as const satisfies Record<string, RouteSpec>;
