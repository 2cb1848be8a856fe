-- Which tasks were retried, and as what: asked for by id, and of many at once before all that match are retried.
create index task_retry_of on task (retry_of, id) where retry_of is not null;
