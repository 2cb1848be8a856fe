-- The last transaction of several statements that each connection has committed. Whoever loses his connection at COMMIT
-- finds his mark here, or knows that nothing was done.
create table transaction_mark (
  slot bigint primary key,
  mark bigint not null,
  at timestamptz not null
)
with (fillfactor = 10);
