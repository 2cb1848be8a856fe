-- The lowest version of the schema that a release must know to work on this database. A migration that older releases
-- cannot live with raises it; all others only add, and releases that do not know of them go on.
alter table meta
  add column floor integer not null default 0;
