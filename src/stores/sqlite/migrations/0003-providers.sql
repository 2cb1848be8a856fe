-- Workers that answer questions, and what they answered.

create table provider (
  id text not null primary key,
  name text not null unique,
  room text not null,
  schema text not null,
  content_type text not null,
  worker text not null,
  owner text not null,
  created_at integer not null
) strict, without rowid;

create index provider_worker on provider (worker);
create index provider_room on provider (room, created_at desc, id desc);
create index provider_age on provider (created_at desc, id desc);

-- A cache. Its rows are large, so they are kept by row.
create table provider_result (
  provider text not null,
  hash text not null,
  content_type text not null,
  size integer not null check (size = length(bytes)),
  at integer not null,
  expires_at integer not null,
  bytes blob not null,
  primary key (provider, hash)
) strict;

create index provider_result_age on provider_result (at desc, provider, hash, size, expires_at);
create index provider_result_end on provider_result (expires_at);

-- Questions on their way to a provider.
create table provider_flight (
  provider text not null,
  hash text not null,
  until integer not null,
  primary key (provider, hash)
) strict, without rowid;
