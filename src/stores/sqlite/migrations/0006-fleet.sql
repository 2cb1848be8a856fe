-- What somebody has paused, and why. What is over stays, so that every copy of the catalog hears of its end.
create table pause (
  kind text not null check (kind in ('job', 'queue', 'worker')),
  name text not null,
  paused_by text not null,
  note text,
  at integer not null,
  until integer,
  ended_at integer,
  catalog integer not null,
  primary key (kind, name)
) strict, without rowid;

create index pause_catalog on pause (catalog);

-- What workers are told to do.
create table worker_command (
  id text not null primary key,
  worker text not null,
  type text not null,
  args text,
  told_by text not null,
  note text,
  at integer not null,
  expires_at integer,
  delivered_at integer,
  acked_at integer,
  answer text
) strict, without rowid;

create index worker_command_worker on worker_command (worker, id);
create index worker_command_open on worker_command (worker, id) where acked_at is null;

-- What people and programs did to the fleet and to tasks.
create table audit (
  id text not null primary key,
  at integer not null,
  actor text not null,
  token text,
  action text not null,
  kind text not null,
  target text not null,
  note text,
  data text
) strict, without rowid;

create index audit_target on audit (kind, target, id);
create index audit_actor on audit (actor, id);
