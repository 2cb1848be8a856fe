-- Since when a job's checksum is the status quo; of those that are there it is not known better.
alter table job add column checksum_at bigint not null default 0;

update job
set checksum_at = created_at;

-- What workers raised, over all of them.
create index worker_event_alert on worker_event (number) where type = 'worker.alert';
