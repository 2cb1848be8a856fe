// Thirty ways to fail. What differs from one failure to the next stands in braces: numbers, ids, paths.

import type { Failure } from "../../../src/core/task-row.ts";
import type { BoardJob } from "./board-jobs.ts";
import type { Chance } from "./chance.ts";

const kinds: readonly (readonly [code: string | null, text: string])[] = [
  ["ENOENT", "ENOENT: no such file or directory, open '{path}'"],
  ["EACCES", "EACCES: permission denied, open '{path}'"],
  ["ENOSPC", "ENOSPC: no space left on device, write {n} bytes"],
  ["ECONNRESET", "read ECONNRESET from 10.0.{b}.{b}:{n}"],
  ["ECONNREFUSED", "connect ECONNREFUSED 10.0.{b}.{b}:5432"],
  ["ETIMEDOUT", "connect ETIMEDOUT 10.0.{b}.{b}:443 after {n} ms"],
  ["EPIPE", "write EPIPE while sending chunk {n}"],
  ["JobTimeout", "Ran longer than its timeout of {n} s"],
  ["OUT_OF_MEMORY", "The handler was killed at {n} MB"],
  ["CUDA_OOM", "CUDA out of memory: tried to allocate {n} MiB on device {b}"],
  ["CHECKSUM", "Checksum mismatch for '{path}': expected {hex}, got {hex}"],
  ["BAD_HEADER", "Unexpected magic number 0x{hex} in '{path}'"],
  ["TRUNCATED", "Unexpected end of file after {n} bytes of '{path}'"],
  ["UNSUPPORTED", "Compression scheme {b} is not supported"],
  ["SCHEMA", "/options/angle must be a multiple of {b}"],
  ["HTTP_429", "429 Too Many Requests: retry after {b} s"],
  ["HTTP_500", "500 Internal Server Error (request {uuid})"],
  ["HTTP_502", "502 Bad Gateway from upstream {b}"],
  ["HTTP_503", "503 Service Unavailable: object store, bucket 'plates-{b}'"],
  ["HTTP_404", "404 Not Found: /objects/{uuid}"],
  ["DEADLOCK", "deadlock detected: process {n} waits for process {n}"],
  ["UNIQUE", 'duplicate key value violates unique constraint "export_{b}_pkey"'],
  ["LICENSE", "No licence seat was free within {n} ms"],
  ["CONVERGENCE", "Alignment did not converge after {n} iterations (residual 0.{n})"],
  ["CODEC", "Decoder returned {n} for frame {n}"],
  [null, "TypeError: Cannot read properties of undefined (reading 'width')"],
  [null, "RangeError: Invalid array length {n}"],
  [null, "AssertionError: page {b} has no text layer"],
  [null, "Error: subprocess ended with signal SIGSEGV after {n} ms"],
  [null, "Error: tenant {uuid} has no quota left"],
];

/** A job fails in a few ways of its own, and in one that all of them know. */
const ownKinds = 4;
const commonPercent = 30;

export function boardFailure(by: Chance, { nth }: BoardJob, path: string): Failure {
  const own = nth * (ownKinds - 1) + Math.floor(by.next() ** 2 * ownKinds);
  const [code, text] = kinds[by.percent(commonPercent) ? 0 : own % kinds.length] as (typeof kinds)[number];
  const message = text.replace(/\{(\w+)\}/g, (_, name: string) => filling(name, by, path));
  const details = by.percent(30) ? JSON.stringify({ exit_code: by.below(256), stage: by.pick(stages) }) : null;
  return { message, code, details };
}

const stages = ["read", "decode", "transform", "write"] as const;

function filling(name: string, by: Chance, path: string): string {
  switch (name) {
    case "path":
      return path;
    case "hex":
      return hex(by, 8);
    case "uuid":
      return [8, 4, 4, 4, 12].map((length) => hex(by, length)).join("-");
    case "b":
      return `${1 + by.below(250)}`;
    default:
      return `${1 + by.below(60_000)}`;
  }
}

export function hex(by: Chance, length: number): string {
  return Array.from({ length }, () => by.below(16).toString(16)).join("");
}
