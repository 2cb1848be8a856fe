-- What each server says of itself: how far its machine's clock is off ours, and how busy it is.
alter table node
  add column skew_ms bigint not null default 0,
  add column load text;

-- The lowest version of the schema that a release must know to work on this database. A migration that older releases
-- cannot live with raises it; all others only add, and releases that do not know of them go on.
alter table meta
  add column floor integer not null default 0;
