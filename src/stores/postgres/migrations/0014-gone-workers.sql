-- Workers that are gone stay as tombstones, and in time there are far more of them than of those that live. What is asked
-- every second is about the living alone, and what is asked about the gone, or about what changed, is about the latest. Beats
-- change none of these columns, so a beat stays within its page.
-- What changed of jobs and lanes is found likewise.
create index session_living on session (worker) where lost_at is null and removed_at is null;
create index session_lost on session (lost_at, worker) where lost_at is not null and removed_at is null;
create index session_removed on session (removed_at) where removed_at is not null;
create index worker_catalog on worker (catalog);
create index job_catalog on job (catalog);
create index lane_catalog on lane (catalog);
