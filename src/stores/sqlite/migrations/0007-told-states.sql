-- What a worker's history says of its state, and how it said it was with a beat. Only profiles that know UNREACHABLE are in
-- the index.
alter table session add column told text not null default 'ONLINE' check (told in ('ONLINE', 'UNREACHABLE'));
alter table session add column status text;

create index session_told on session (told, seen_at + unreachable_ms)
  where unreachable_ms is not null and lost_at is null and removed_at is null;

-- Labels that workers must have for every task of a job, as JSON; null where it asks for none.
alter table job add column labels text;
