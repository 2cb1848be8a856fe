-- What somebody has paused, and why. What is over stays, so that every copy of the catalog hears of its end.
create table pause (
  kind text collate "C" not null check (kind in ('job', 'queue', 'worker')),
  name text collate "C" not null,
  paused_by text not null,
  note text,
  at bigint not null,
  until bigint,
  ended_at bigint,
  catalog bigint not null,
  primary key (kind, name)
);

create index pause_catalog on pause (catalog);

-- What workers are told to do.
create table worker_command (
  id text collate "C" primary key,
  worker text collate "C" not null,
  type text not null,
  args text,
  told_by text not null,
  note text,
  at bigint not null,
  expires_at bigint,
  delivered_at bigint,
  acked_at bigint,
  answer text
);

create index worker_command_worker on worker_command (worker, id);
create index worker_command_open on worker_command (worker, id) where acked_at is null;

-- What people and programs did to the fleet and to tasks.
create table audit (
  id text collate "C" primary key,
  at bigint not null,
  actor text collate "C" not null,
  token text,
  action text collate "C" not null,
  kind text collate "C" not null,
  target text collate "C" not null,
  note text,
  data text
);

create index audit_target on audit (kind, target, id);
create index audit_actor on audit (actor, id);
