-- What was counted about the tasks of a room and a job: of minutes, and of the hours that they make up. How long they
-- waited and ran is a JSON array of how many fell into each bucket of src/core/histogram.ts.
create table statistic (
  kept_ms integer not null check (kept_ms = 60000 or kept_ms = 3600000),
  at integer not null,
  room text not null,
  job text not null,
  submitted integer not null,
  started integer not null,
  completed integer not null,
  failed integer not null,
  cancelled integer not null,
  lost integer not null,
  retried integer not null,
  wait text not null,
  run text not null,
  primary key (kept_ms, at, room, job)
) strict, without rowid;

-- Which failures are alike.
alter table outcome add column fingerprint text;

create index outcome_fingerprint on outcome (fingerprint, task) where fingerprint is not null;

-- What is known of failures of a room that are alike: the last of them is the sample.
create table failure (
  room text not null,
  fingerprint text not null,
  job text not null,
  code text,
  error text not null,
  task text not null,
  first_at integer not null,
  last_at integer not null,
  primary key (room, fingerprint)
) strict;

create index failure_last on failure (last_at);

-- How many there were, by minutes and by hours.
create table failure_count (
  kept_ms integer not null check (kept_ms = 60000 or kept_ms = 3600000),
  at integer not null,
  room text not null,
  fingerprint text not null,
  tasks integer not null,
  primary key (kept_ms, at, room, fingerprint)
) strict, without rowid;
