-- The version of each task that a message broker has a message for, and since when; at any other version the task is to be
-- told of. Apart from the task, because a claim passes over a task whose row somebody writes. Rows of tasks that have ended mean nothing,
-- and go when somebody prunes.
create table message (
  task uuid primary key,
  version integer not null,
  at bigint not null
)
with (
  fillfactor = 80,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 5000,
  autovacuum_analyze_scale_factor = 0.02,
  autovacuum_analyze_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0
);

-- Which of a coordinator's messages have been counted, a bit for each. Rows are written anew for every few messages: they
-- stay as they are, within their page, and are never packed or moved out of line.
create table message_mark (
  task uuid not null,
  chunk integer not null check (chunk >= 0),
  done bytea not null,
  failed bytea not null,
  primary key (task, chunk)
)
with (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0
);

alter table message_mark
  alter column done set storage plain,
  alter column failed set storage plain;

-- What a handler calls that which happened, and what it says of it, as JSON.
alter table log_line
  add column event text,
  add column fields text;

-- Items may be kept for later: whether one is due is asked every second.
create index outbox_at on outbox (at);

create index outbox_due on outbox (kind, at, id);
