-- Workers that answer questions, and what they answered.

create table provider (
  id text collate "C" primary key,
  name text collate "C" not null unique,
  room text collate "C" not null,
  schema text not null,
  content_type text not null,
  worker text collate "C" not null,
  owner text not null,
  created_at bigint not null
);

create index provider_worker on provider (worker);
create index provider_room on provider (room, created_at desc, id desc);
create index provider_age on provider (created_at desc, id desc);

-- A cache: after a crash of the database it is empty, and nobody misses more than time. What is in it is mostly
-- compressed already.
create unlogged table provider_result (
  provider text collate "C" not null references provider (id) on delete cascade,
  hash text collate "C" not null,
  content_type text not null,
  size bigint not null check (size = octet_length(bytes)),
  at bigint not null,
  expires_at bigint not null,
  bytes bytea not null,
  primary key (provider, hash)
);

alter table provider_result alter column bytes set storage external;

create index provider_result_age on provider_result (at desc, provider, hash) include (size);
create index provider_result_end on provider_result (expires_at);

-- Questions on their way to a provider.
create unlogged table provider_flight (
  provider text collate "C" not null references provider (id) on delete cascade,
  hash text collate "C" not null,
  until bigint not null,
  primary key (provider, hash)
);
