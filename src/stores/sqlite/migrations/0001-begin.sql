-- Times are milliseconds since 1970; JSON is text as it came in. Ids are text: as 16 bytes each they would make the file
-- a sixth smaller, but turning them into text and back costs more time than that saves. Tables and columns have the
-- names that src/ports/records.ts gives them. Invariants of src/core/ stand here once more as CHECK constraints; on busy
-- tables without `in`, for which SQLite makes a table of the list each time.

-- What this database is.
create table meta (
  one integer primary key check (one = 1),
  schema_version integer not null,
  -- Lease tokens are computed from it.
  secret text not null check (length(secret) = 64),
  -- Raised by every change of jobs, lanes or workers.
  catalog integer not null
) strict;

insert into meta (one, schema_version, secret, catalog)
values (1, 0, lower(hex(randomblob(32))), 0);

-- What never changes about a task. A table with rowids: payloads may be long, and long rows in the tree of a table
-- without rowids cost twice the space and time.
create table task (
  id text not null primary key,
  lane integer not null,
  room text not null,
  priority integer not null,
  policy text,
  parent text,
  retry_of text,
  submitter text,
  checksum text not null,
  logs text,
  created_at integer not null,
  payload text not null
) strict;

create index task_room on task (room, id);
create index task_lane on task (lane, id);
create index task_parent on task (parent, id) where parent is not null;

-- What changes about a task. It has a row here for as long as it is open.
create table open_task (
  id text not null primary key,
  lane integer not null,
  rank integer not null,
  parent text,
  state text not null,
  version integer not null check (version >= 1),
  attempt integer not null,
  failures integer not null check (failures >= 0),
  losses integer not null check (losses >= 0),
  worker text,
  run_at integer,
  claimed_at integer,
  started_at integer,
  leased_until integer,
  due_at integer,
  active_at integer not null,
  progress text,
  children_total integer,
  children_done integer,
  children_failed integer,
  patience text,
  checkpoint text,
  check (attempt >= failures + losses),
  check (run_at is null or state = 'pending'),
  -- In whose hands: nobody's, a worker's, or its children's.
  check (
    case state
      when 'pending' then
        worker is null and claimed_at is null and started_at is null and leased_until is null and due_at is null
        and progress is null and children_total is null
      when 'claimed' then
        worker is not null and claimed_at is not null and started_at is null and children_total is null
      when 'running' then
        claimed_at is not null and started_at is not null and (worker is null) = (children_total is not null)
      else false
    end
  ),
  -- Children may settle before the task defers and says how many it waits for, and how long.
  check ((children_done is null) = (children_failed is null)),
  check (case when children_total is null then patience is null else children_done is not null end)
) strict, without rowid;

-- Claims walk this one, and nothing else is in it. SQLite looks up the row of every entry unless the index has all that
-- the query names, even what its own condition says: hence run_at here, and the like below.
create index open_task_ready on open_task (lane, rank, id, run_at) where state = 'pending' and run_at is null;
create index open_task_delayed on open_task (run_at, id) where run_at is not null;
create index open_task_delayed_lane on open_task (lane, run_at) where run_at is not null;
create index open_task_due on open_task (due_at, id) where due_at is not null;
create index open_task_held on open_task (worker, id) where worker is not null;
create index open_task_busy on open_task (lane, state, id) where state <> 'pending';
create index open_task_deferred on open_task (lane, worker) where state = 'running' and worker is null;
create index open_task_parent on open_task (parent, id) where parent is not null;

-- How a task ended. The key makes a second outcome impossible.
create table outcome (
  task text not null primary key,
  state text not null check (state = 'completed' or state = 'failed' or state = 'cancelled'),
  version integer not null check (version >= 2),
  attempt integer not null,
  failures integer not null check (failures >= 0),
  losses integer not null check (losses >= 0),
  worker text,
  claimed_at integer,
  started_at integer,
  finished_at integer not null,
  result text,
  error text,
  error_code text,
  error_details text,
  progress text,
  children_total integer,
  children_done integer,
  children_failed integer,
  checkpoint text,
  check (attempt >= failures + losses),
  check (state = 'completed' or result is null),
  check (error is not null or (error_code is null and error_details is null))
) strict;

create index outcome_worker on outcome (worker, task) where worker is not null;
create index outcome_state on outcome (state, task) where state <> 'completed';

-- One line for each move.
create table task_event (
  task text not null,
  version integer not null check (version >= 1),
  at integer not null,
  type text not null,
  state text not null,
  attempt integer not null,
  worker text,
  data text,
  primary key (task, version),
  check (
    case state
      when 'pending' then true
      when 'claimed' then true
      when 'running' then true
      when 'completed' then true
      when 'failed' then true
      when 'cancelled' then true
      else false
    end
  )
) strict, without rowid;

-- Results that came too late. The last line a task may have counts those that follow it.
create table refusal (
  task text not null,
  number integer not null check (number >= 1),
  at integer not null,
  attempt integer,
  worker text,
  data text,
  times integer not null check (times >= 1),
  primary key (task, number)
) strict, without rowid;

create table log_line (
  id integer primary key,
  task text not null,
  attempt integer not null,
  at integer not null,
  level text not null,
  message text not null
) strict;

create index log_line_task on log_line (task, id);

-- `catalog` is the revision of the catalog that wrote the row.
create table job (
  name text not null primary key,
  id text not null,
  room text not null,
  schema text not null,
  output text,
  queue text,
  policy text,
  push text,
  checksum text not null,
  source text not null check (source in ('worker', 'explicit', 'internal')),
  deleted integer not null check (deleted in (0, 1)),
  created_at integer not null,
  revision integer not null,
  catalog integer not null
) strict, without rowid;

create index job_catalog on job (catalog);

-- Every spec a job has had.
create table spec (
  job text not null,
  checksum text not null,
  at integer not null,
  content text not null,
  primary key (job, checksum)
) strict, without rowid;

create table lane (
  id integer primary key,
  key text not null unique,
  job text not null,
  queue text not null,
  labels text not null,
  checksum text not null,
  paused integer not null check (paused in (0, 1)),
  max_running integer,
  catalog integer not null
) strict;

create index lane_job on lane (job);
create index lane_catalog on lane (catalog);

create table worker (
  id text not null primary key,
  profile text not null check (profile in ('rest', 'fleet', 'work', 'amqp')),
  owner text,
  name text,
  hostname text,
  os text,
  about text,
  queues text,
  labels text not null,
  paused integer not null check (paused in (0, 1)),
  draining integer not null check (draining in (0, 1)),
  created_at integer not null,
  catalog integer not null
) strict, without rowid;

create index worker_catalog on worker (catalog);

create table worker_job (
  worker text not null,
  job text not null,
  checksum text,
  primary key (worker, job)
) strict, without rowid;

create index worker_job_job on worker_job (job);

-- Signs of life, apart from the worker: they change a thousand times as often.
create table session (
  worker text not null primary key,
  seen_at integer not null,
  unreachable_ms integer,
  lost_ms integer not null,
  lost_at integer,
  removed_at integer
) strict, without rowid;

create index session_end on session (seen_at + lost_ms) where lost_at is null and removed_at is null;
create index session_lost on session (lost_at, worker) where lost_at is not null and removed_at is null;
create index session_removed on session (worker) where removed_at is not null;

create table worker_event (
  id integer primary key,
  worker text not null,
  at integer not null,
  type text not null,
  data text
) strict;

create index worker_event_worker on worker_event (worker, id);
create index worker_event_at on worker_event (at, id);

create table token (
  id text not null primary key,
  hash text not null unique check (length(hash) = 64),
  name text,
  user_id text not null,
  role text not null check (role in ('admin', 'user', 'viewer')),
  rooms text,
  jobs text,
  created_at integer not null,
  expires_at integer,
  revoked_at integer
) strict, without rowid;

-- Effects that must follow a commit.
create table outbox (
  id text not null primary key,
  kind text not null,
  key text not null,
  data text,
  at integer not null
) strict, without rowid;

create index outbox_kind on outbox (kind, id);

create table idempotency (
  scope text not null,
  key text not null,
  body_hash text not null,
  answer text not null,
  at integer not null,
  primary key (scope, key)
) strict, without rowid;

create index idempotency_at on idempotency (at);
