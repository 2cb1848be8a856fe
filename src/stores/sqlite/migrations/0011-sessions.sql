-- Sessions of people with browsers, and codes that become one, are tokens too; without the one that they came from
-- they are worth nothing.
alter table token add column kind text not null default 'api' check (kind in ('api', 'session', 'code'));
alter table token add column parent text;

-- For those that are removed after their end.
create index token_session on token (expires_at) where kind <> 'api';
