-- Jobs, lanes, workers and servers, and what stands beside the tasks.

create table job (
  name text collate "C" primary key,
  id text not null,
  room text not null,
  schema text not null,
  output text,
  queue text,
  policy text,
  push text,
  checksum text not null,
  source text not null check (source in ('worker', 'explicit', 'internal')),
  deleted boolean not null,
  created_at bigint not null,
  revision bigint not null,
  catalog bigint not null
);

-- Every content a job has had.
create table spec (
  job text collate "C" not null,
  checksum text not null,
  at bigint not null,
  content text not null,
  primary key (job, checksum)
);

create table lane (
  id integer primary key,
  job text collate "C" not null,
  queue text not null,
  labels text not null,
  checksum text not null,
  -- SHA-256 of the four together: they may be too long for an index.
  digest text collate "C" not null unique,
  paused boolean not null,
  max_running integer,
  catalog bigint not null
);

create index lane_job on lane (job);

create table worker (
  id text collate "C" primary key,
  profile text not null,
  owner text,
  name text,
  hostname text,
  os text,
  about text,
  queues text,
  labels text not null,
  paused boolean not null,
  draining boolean not null,
  created_at bigint not null,
  catalog bigint not null
);

create table worker_job (
  worker text collate "C" not null,
  job text collate "C" not null,
  checksum text,
  primary key (worker, job)
);

create index worker_job_job on worker_job (job);

-- Signs of life. No index beside the key and room on every page, so that a beat stays within its page.
create table session (
  worker text collate "C" primary key,
  seen_at bigint not null,
  unreachable_ms bigint,
  lost_ms bigint not null,
  lost_at bigint,
  removed_at bigint
)
with (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0
);

create table worker_event (
  number bigint generated always as identity primary key,
  worker text collate "C" not null,
  at bigint not null,
  type text not null,
  data text
);

create index worker_event_worker on worker_event (worker, number);

-- API tokens. The secrets are kept nowhere, only their hashes.
create table token (
  id text collate "C" primary key,
  hash text collate "C" not null unique check (length(hash) = 64),
  name text,
  user_id text not null,
  role text not null check (role in ('admin', 'user', 'viewer')),
  rooms text,
  jobs text,
  created_at bigint not null,
  expires_at bigint,
  revoked_at bigint
);

create table outbox (
  id text collate "C" primary key,
  kind text collate "C" not null,
  key text not null,
  data text,
  at bigint not null
);

create index outbox_kind on outbox (kind, id);

create table idempotency (
  scope text collate "C" not null,
  key text collate "C" not null,
  body_hash text not null,
  answer text not null,
  at bigint not null,
  primary key (scope, key)
);

create index idempotency_at on idempotency (at);

create table node (
  id text collate "C" primary key,
  started_at bigint not null,
  seen_at bigint not null,
  version text not null,
  address text
);

-- A leased row rather than an advisory lock, which outlives half-open connections and breaks under poolers.
create table leader (
  one boolean primary key default true check (one),
  node text collate "C" not null,
  until bigint not null
);
