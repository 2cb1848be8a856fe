-- Push jobs are served by a worker of a profile of its own. SQLite cannot change a check, so the table is made anew.
create table worker_0004 (
  id text not null primary key,
  profile text not null check (profile in ('rest', 'fleet', 'work', 'amqp', 'internal', 'push')),
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

insert into worker_0004 (
  id, profile, owner, name, hostname, os, about, queues, labels, paused, draining, created_at, catalog
)
select id, profile, owner, name, hostname, os, about, queues, labels, paused, draining, created_at, catalog
from worker;

drop table worker;
alter table worker_0004 rename to worker;

create index worker_catalog on worker (catalog);
