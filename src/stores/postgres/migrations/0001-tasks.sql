-- Tasks and their history. Times are milliseconds since 1970; payloads, results and details are JSON text as it
-- came in. Tables that grow with history are partitioned by task id, which is time (UUIDv7); retention drops partitions,
-- so nothing refers to them by foreign key. partitions.ts makes the weeks ahead; the default partition is the safety net.

create table meta (
  one boolean primary key default true check (one),
  secret text not null,
  catalog bigint not null
);

insert into meta (secret, catalog)
values (gen_random_uuid()::text || gen_random_uuid()::text, 0);

-- Each running store takes a number, so that it can give every exchange a ticket of its own.
create sequence store_number;

-- What never changes about a task.
create table task (
  id uuid primary key,
  parent uuid,
  retry_of uuid,
  created_at bigint not null,
  lane integer not null,
  priority integer not null,
  room text collate "C" not null,
  policy text,
  submitter text,
  checksum text not null,
  logs text,
  payload text not null
)
partition by range (id);

create index task_room on task (room, id);
create index task_lane on task (lane, id);
create index task_parent on task (parent, id) where parent is not null;

create table task_default partition of task default;

-- What changes about a task, while it is open. Narrow, because every move writes it anew.
create table open_task (
  id uuid primary key,
  parent uuid,
  active_at bigint not null,
  run_at bigint,
  claimed_at bigint,
  started_at bigint,
  leased_until bigint,
  due_at bigint,
  -- policyDueMs of the task's policy: what claims need to know of it.
  due_ms bigint,
  -- The exchange that claimed it: what became of a claim whose answer was lost can be found out.
  ticket bigint,
  lane integer not null,
  version integer not null check (version >= 1),
  attempt integer not null,
  failures integer not null,
  losses integer not null,
  -- Rank, then id, as bytes that sort so: the place in the line of its lane.
  place bytea not null,
  state text collate "C" not null,
  worker text collate "C",
  progress text,
  children text,
  checkpoint text,
  constraint open_task_pending check (
    state <> 'pending'
    or (worker is null and claimed_at is null and started_at is null and leased_until is null and due_at is null)
  ),
  constraint open_task_claimed check (
    state <> 'claimed'
    or (worker is not null and claimed_at is not null and run_at is null)
  ),
  constraint open_task_running check (
    state <> 'running'
    or (started_at is not null and run_at is null and (worker is not null or children is not null))
  ),
  constraint open_task_state check (state in ('pending', 'claimed', 'running'))
)
with (
  fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0.01,
  autovacuum_vacuum_threshold = 5000,
  autovacuum_analyze_scale_factor = 0.02,
  autovacuum_analyze_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0
);

create index open_task_ready on open_task (lane, place) where state = 'pending' and run_at is null;
create index open_task_delayed on open_task (run_at, id) where run_at is not null;
create index open_task_delayed_lane on open_task (lane) where run_at is not null;
create index open_task_due on open_task (due_at, id) where due_at is not null;
create index open_task_worker on open_task (worker, id) where worker is not null;
create index open_task_held on open_task (lane) where state <> 'pending';
create index open_task_parent on open_task (parent, id) where parent is not null;

-- How a task ended: the row as it stood, and the outcome. The key makes a second outcome impossible.
create table outcome (
  task uuid primary key,
  finished_at bigint not null,
  active_at bigint not null,
  claimed_at bigint,
  started_at bigint,
  version integer not null,
  attempt integer not null,
  failures integer not null,
  losses integer not null,
  state text collate "C" not null check (state in ('completed', 'failed', 'cancelled')),
  worker text collate "C",
  progress text,
  children text,
  checkpoint text,
  result text,
  error text
)
partition by range (task);

-- Nearly everything is completed, so only the rest needs an index to be found by its state.
create index outcome_state on outcome (state, task) where state <> 'completed';
create index outcome_worker on outcome (worker, task) where worker is not null;

create table outcome_default partition of outcome default;

-- The history: one line for each move.
create table task_event (
  task uuid not null,
  at bigint not null,
  version integer not null,
  attempt integer not null,
  type text not null,
  state text not null,
  worker text,
  data text,
  primary key (task, version)
)
partition by range (task);

create table task_event_default partition of task_event default;

-- Late results. The last line of a task counts those that came after it.
create table refusal (
  task uuid not null,
  nth integer not null,
  at bigint not null,
  attempt integer,
  times integer not null check (times >= 1),
  worker text,
  data text,
  primary key (task, nth)
)
partition by range (task);

create table refusal_default partition of refusal default;

create sequence log_line_number;

create table log_line (
  task uuid not null,
  line bigint not null default nextval('log_line_number'),
  at bigint not null,
  attempt integer not null,
  level text not null,
  message text not null,
  primary key (task, line)
)
partition by range (task);

create table log_line_default partition of log_line default;

-- What statements are handed, many at a time: one array of rows is parsed in half the time of as many arrays as there
-- are columns. Texts that may be long travel beside them.
create type new_task as (
  call integer,
  id uuid,
  parent uuid,
  retry_of uuid,
  created_at bigint,
  run_at bigint,
  due_ms bigint,
  lane integer,
  priority integer,
  rank integer,
  room text,
  policy text,
  submitter text,
  checksum text,
  logs text,
  event_data text
);

-- A row after its moves. What is null in the last three is as in the row: the end came when the task was last active,
-- the event speaks of the row's worker; without a type there is no event.
create type task_write as (
  id uuid,
  expected integer,
  version integer,
  attempt integer,
  failures integer,
  losses integer,
  active_at bigint,
  run_at bigint,
  claimed_at bigint,
  started_at bigint,
  leased_until bigint,
  due_at bigint,
  state text,
  worker text,
  progress text,
  children text,
  checkpoint text,
  error text,
  finished_at bigint,
  event_worker text,
  type text
);
