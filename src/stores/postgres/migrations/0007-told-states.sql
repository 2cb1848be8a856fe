-- What a worker's history says of its state, and how it said it was with a beat. Beats change no index: none of these holds
-- the time of the last one, and only profiles that know UNREACHABLE are in the second.
alter table session
  add column told text collate "C" not null default 'ONLINE' check (told in ('ONLINE', 'UNREACHABLE')),
  add column status text;

create index session_unreachable on session (worker) where told = 'UNREACHABLE';

create index session_reachable on session (worker)
  where told = 'ONLINE' and unreachable_ms is not null and lost_at is null and removed_at is null;

-- Labels that workers must have for every task of a job, as JSON; null where it asks for none.
alter table job add column labels text;
