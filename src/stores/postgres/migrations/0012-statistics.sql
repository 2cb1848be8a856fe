-- What was counted about the tasks of a room and a job: of minutes, and of the hours that they make up. How long they
-- waited and ran is how many fell into each bucket of src/core/histogram.ts. Every server adds to the same few rows.
create table statistic (
  kept_ms integer not null check (kept_ms in (60000, 3600000)),
  at bigint not null,
  room text collate "C" not null,
  job text collate "C" not null,
  submitted integer not null,
  started integer not null,
  completed integer not null,
  failed integer not null,
  cancelled integer not null,
  lost integer not null,
  retried integer not null,
  wait integer[] not null,
  run integer[] not null,
  primary key (kept_ms, at, room, job)
)
with (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_vacuum_threshold = 1000
);

-- Which failures are alike.
alter table outcome add column fingerprint text collate "C";

create index outcome_fingerprint on outcome (fingerprint, task) where fingerprint is not null;

-- What is known of failures of a room that are alike: the last of them is the sample.
create table failure (
  room text collate "C" not null,
  fingerprint text collate "C" not null,
  job text collate "C" not null,
  code text,
  error text not null,
  task text not null,
  first_at bigint not null,
  last_at bigint not null,
  primary key (room, fingerprint)
)
with (fillfactor = 70);

create index failure_last on failure (last_at);

-- How many there were, by minutes and by hours.
create table failure_count (
  kept_ms integer not null check (kept_ms in (60000, 3600000)),
  at bigint not null,
  room text collate "C" not null,
  fingerprint text collate "C" not null,
  tasks integer not null,
  primary key (kept_ms, at, room, fingerprint)
)
with (fillfactor = 70);
