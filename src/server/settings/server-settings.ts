// Where the server is, where it keeps things, what it says.

import { boolean, choice, duration, file, integer, list, text, url } from "./kinds.ts";

const postgres = ["postgres:", "postgresql:"];

export const serverSettings = {
  host: text({
    env: "LEADHAND_HOST",
    default: "127.0.0.1",
    help: "address to listen on; any but loopback needs TLS or LEADHAND_ALLOW_INSECURE_BIND",
  }),
  port: integer({ env: "LEADHAND_PORT", default: 7070, min: 0, max: 65_535, help: "port to listen on; 0 takes any" }),
  tlsCert: file({ env: "LEADHAND_TLS_CERT", default: null, help: "certificate chain in PEM; needs LEADHAND_TLS_KEY" }),
  tlsKey: file({ env: "LEADHAND_TLS_KEY", default: null, help: "private key in PEM; needs LEADHAND_TLS_CERT" }),
  allowInsecureBind: boolean({
    env: "LEADHAND_ALLOW_INSECURE_BIND",
    default: false,
    help: "listen on a public address without TLS, for example behind a proxy that has it",
  }),
  trustedProxies: list({
    env: "LEADHAND_TRUSTED_PROXIES",
    default: null,
    help: "addresses or networks of proxies whose X-Forwarded-For, -Proto, -Host and -Prefix are believed",
  }),
  pathPrefix: text({
    env: "LEADHAND_PATH_PREFIX",
    default: null,
    help: "path below which a proxy serves this server, and which it takes away, like /leadhand",
  }),
  data: file({
    env: "LEADHAND_DATA",
    default: "./leadhand-data",
    help: "folder of the embedded database and the admin token",
  }),
  databaseUrl: url({
    env: ["LEADHAND_DATABASE_URL", "DATABASE_URL"],
    default: null,
    protocols: postgres,
    secret: true,
    help: "PostgreSQL, for many servers; without it the database is a file in LEADHAND_DATA",
  }),
  databaseListenUrl: url({
    env: "LEADHAND_DATABASE_LISTEN_URL",
    default: null,
    protocols: postgres,
    secret: true,
    help: "way to PostgreSQL round a pooler, for LISTEN; without it LEADHAND_DATABASE_URL",
  }),
  databasePooler: boolean({
    env: "LEADHAND_DATABASE_POOLER",
    default: false,
    help: "LEADHAND_DATABASE_URL leads to a pooler in transaction mode, such as PgBouncer; needs LEADHAND_DATABASE_LISTEN_URL",
  }),
  logLevel: choice({
    env: "LEADHAND_LOG_LEVEL",
    default: "info",
    choices: ["debug", "info", "warn", "error", "silent"],
    help: "the least important lines to print on standard error",
  }),
  logFormat: choice({
    env: "LEADHAND_LOG_FORMAT",
    default: "auto",
    choices: ["auto", "json", "text"],
    help: "JSON lines or readable text; auto is text on a terminal and JSON elsewhere",
  }),
  stopGraceMs: duration({
    env: "LEADHAND_STOP_GRACE",
    default: 10_000,
    min: 0,
    help: "how long requests under way may take when the server stops",
  }),
};

export const engineSettings = {
  batchMax: integer({
    env: "LEADHAND_BATCH_MAX",
    default: 1_000,
    min: 1,
    max: 1_000,
    help: "rows in one transaction of the group commit",
  }),
  pulseMs: duration({
    env: "LEADHAND_PULSE_INTERVAL",
    default: 1_000,
    min: 100,
    max: 60_000,
    help: "how often a server renews its row, and its leadership, and looks at what every server must know",
  }),
  leaderLeaseMs: duration({
    env: "LEADHAND_LEADER_LEASE",
    default: 5_000,
    help: "how long a leader that has fallen silent stays leader; more than two pulses",
  }),
  clockSkewWarnMs: duration({
    env: "LEADHAND_CLOCK_SKEW_WARN",
    default: 500,
    help: "difference between the database's clock and ours that is worth a warning",
  }),
  clockSkewMaxMs: duration({
    env: "LEADHAND_CLOCK_SKEW_MAX",
    default: 2_000,
    help: "difference at which the server refuses to work",
  }),
  sweepMs: duration({
    env: [
      "LEADHAND_SWEEPER_INTERVAL_SECONDS",
      "LEADHAND_BLACKBOARD_JOB_CHECK_INTERVAL",
      "BLACKBOARD_JOB_CHECK_INTERVAL",
      "LEADHAND_REAPER_INTERVAL_SECONDS",
    ],
    default: 30_000,
    min: 100,
    help: "the safety net under the sweeper, which wakes at the next known deadline by itself; for the fleet, the cleanup that is to run at least every minute",
  }),
  maxRequeues: integer({
    env: "LEADHAND_MAX_LEASE_REQUEUES",
    default: 3,
    min: 0,
    max: 1_000,
    help: "how many losses a task survives where neither it nor its job says so",
  }),
  retentionMs: duration({
    env: "LEADHAND_RETENTION",
    default: null,
    help: "final tasks older than this go, with their history and logs",
  }),
  idempotencyKeepMs: duration({
    env: "LEADHAND_IDEMPOTENCY_KEEP",
    default: 24 * 3_600_000,
    help: "how long an Idempotency-Key is remembered",
  }),
};
