-- The version of the task that a message broker has a message for, and since when; at any other version it is to be told of.
alter table open_task add column message integer;
alter table open_task add column message_at integer;

-- What a task knows of its children beside the counters, as JSON; null where that is nothing.
alter table open_task add column children_more text;
alter table outcome add column children_more text;

-- Which of a coordinator's messages have been counted, a bit for each. A table with rowids, because the rows are long.
create table message_mark (
  task text not null,
  chunk integer not null check (chunk >= 0),
  done blob not null,
  failed blob not null,
  primary key (task, chunk)
) strict;

-- What a handler calls that which happened, and what it says of it, as JSON.
alter table log_line add column event text;
alter table log_line add column fields text;

-- Items may be kept for later: whether one is due is asked every second.
create index outbox_at on outbox (at);

create index outbox_due on outbox (kind, at, id);
