// What the doors allow and how they behave, and how large things may be.

import { bytes, choice, duration, file, integer, list, text, url } from "./kinds.ts";

const second = 1_000;
const mebibyte = 2 ** 20;

export const limitSettings = {
  payloadBytesMax: bytes({
    env: "LEADHAND_PAYLOAD_BYTES_MAX",
    default: mebibyte,
    min: 1_024,
    max: 64 * mebibyte,
    help: "the largest payload or result, on every door",
  }),
  bodyBytesMax: bytes({
    env: "LEADHAND_BODY_BYTES_MAX",
    default: 4 * mebibyte,
    min: 1_024,
    max: 256 * mebibyte,
    help: "the largest JSON body or frame",
  }),
  providerUploadBytesMax: bytes({
    env: "LEADHAND_PROVIDER_UPLOAD_BYTES_MAX",
    default: 16 * mebibyte,
    min: 1_024,
    max: 256 * mebibyte,
    help: "the largest result a provider may upload",
  }),
  providerCacheBytesMax: bytes({
    env: "LEADHAND_PROVIDER_CACHE_BYTES_MAX",
    default: 256 * mebibyte,
    min: mebibyte,
    max: 65_536 * mebibyte,
    help: "all cached results of providers together; the oldest go first",
  }),
  jsonDepthMax: integer({ env: "LEADHAND_JSON_DEPTH_MAX", default: 256, min: 8, max: 256, help: "nesting of JSON" }),
  nameBytesMax: integer({ env: "LEADHAND_NAME_BYTES_MAX", default: 255, min: 16, max: 255, help: "length of names" }),
  pageMax: integer({
    env: "LEADHAND_PAGE_MAX",
    default: 500,
    min: 1,
    max: 10_000,
    help: "items on one page of a list",
  }),
  bulkMax: integer({ env: "LEADHAND_BULK_MAX", default: 1_000, min: 1, max: 1_000, help: "tasks in one bulk submit" }),
  pendingPerJobMax: integer({
    env: "LEADHAND_PENDING_PER_JOB_MAX",
    default: null,
    min: 1,
    max: 1_000_000_000,
    help: "pending tasks of one job; more are refused with 429",
  }),
  requestsPerSecondMax: integer({
    env: "LEADHAND_REQUESTS_PER_SECOND_MAX",
    default: null,
    min: 1,
    max: 1_000_000,
    help: "requests of one token, or of one user with JWTs, in a second; more are refused with 429",
  }),
};

export const doorSettings = {
  allowedCategories: list({
    env: "LEADHAND_ALLOWED_CATEGORIES",
    default: ["modifiers", "selections", "analysis"],
    help: "categories of jobs that may be registered",
  }),
  allowedProviderCategories: list({
    env: "LEADHAND_ALLOWED_PROVIDER_CATEGORIES",
    default: null,
    help: "categories of providers that may be registered; none allows any",
  }),
  longPollMaxMs: duration({
    env: "LEADHAND_LONG_POLL_MAX_WAIT_SECONDS",
    default: 60 * second,
    min: 0,
    help: "the longest wait of a long poll",
  }),
  claimMaxAttempts: integer({
    env: "LEADHAND_CLAIM_MAX_ATTEMPTS",
    default: 10,
    min: 1,
    max: 1_000,
    help: "PostgreSQL: tries of a claim, or any other change, that it asks to repeat",
  }),
  claimBaseDelayMs: duration({
    env: "LEADHAND_CLAIM_BASE_DELAY_SECONDS",
    default: 10,
    min: 0,
    help: "pause before its second try; doubles with each",
  }),
  workConnectionsMax: integer({
    env: "LEADHAND_WORK_CONNECTIONS_MAX",
    default: 20_000,
    min: 1,
    max: 1_000_000,
    help: "workers that may be connected to /work of one server; more are asked to come later",
  }),
  workBufferedBytesMax: bytes({
    env: "LEADHAND_WORK_BUFFERED_BYTES_MAX",
    default: 8 * mebibyte,
    min: 65_536,
    max: 1_024 * mebibyte,
    help: "/work: a worker that for 5 s has left more than this unread is disconnected",
  }),
  internalTaskTimeoutMs: duration({
    env: "LEADHAND_INTERNAL_TASK_TIMEOUT_SECONDS",
    default: 3_600 * second,
    help: "an @internal task held longer fails",
  }),
  internal: file({
    env: "LEADHAND_INTERNAL",
    default: null,
    help: "module that exports `jobs`, which this server runs itself, under @internal",
  }),
  internalThreads: integer({
    env: "LEADHAND_INTERNAL_THREADS",
    default: 2,
    min: 1,
    max: 256,
    help: "how many of its internal jobs' tasks a server runs at once, each in a thread of its own",
  }),
  internalBroker: choice({
    env: "LEADHAND_INTERNAL_BROKER",
    default: "threads",
    choices: ["threads", "amqp"],
    help: "where internal jobs run: in threads of the server, or in `leadhand internal-worker` behind RabbitMQ",
  }),
  providerResultTtlMs: duration({
    env: "LEADHAND_PROVIDER_RESULT_TTL_SECONDS",
    default: 300 * second,
    help: "how long a provider's result is cached",
  }),
  providerInflightTtlMs: duration({
    env: "LEADHAND_PROVIDER_INFLIGHT_TTL_SECONDS",
    default: 30 * second,
    help: "how long a provider's read counts as under way",
  }),
  providerLongPollDefaultMs: duration({
    env: "LEADHAND_PROVIDER_LONG_POLL_DEFAULT_SECONDS",
    default: 5 * second,
    min: 0,
    help: "how long a provider's read waits where the request does not say",
  }),
  providerLongPollMaxMs: duration({
    env: "LEADHAND_PROVIDER_LONG_POLL_MAX_SECONDS",
    default: 30 * second,
    min: 0,
    help: "the longest wait of a provider's read",
  }),
};

export const signInSettings = {
  jwtSecret: text({
    env: "LEADHAND_JWT_SECRET",
    default: null,
    secret: true,
    help: "secret of JWTs signed with HS256",
  }),
  jwksUrl: url({
    env: "LEADHAND_JWKS_URL",
    default: null,
    protocols: ["https:", "http:"],
    help: "where the public keys of JWTs are",
  }),
  jwtAudience: text({
    env: "LEADHAND_JWT_AUDIENCE",
    default: null,
    help: "the `aud` a JWT must have; none accepts any",
  }),
  jwtSuperuserClaim: text({
    env: "LEADHAND_JWT_SUPERUSER_CLAIM",
    default: "su",
    help: "the claim of a JWT that makes a superuser; only JSON true counts",
  }),
};
