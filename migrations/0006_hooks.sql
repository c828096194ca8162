-- What platforms send us by themselves.

-- The second id by which a platform may call the account when it calls us.
alter table accounts add column app_scoped_id text;
-- Set: the platform said that it took our access away; it is asked until then whether that is so.
alter table accounts add column access_doubted_until timestamptz;
create index accounts_by_external_id on accounts (platform, external_id);
create index accounts_by_app_scoped_id on accounts (platform, app_scoped_id) where app_scoped_id is not null;
create index accounts_doubted on accounts (access_doubted_until) where access_doubted_until is not null;

-- What was told already, as a hash: told again it does nothing. Forgotten once no platform would repeat it.
create table hook_notices (
  digest       bytea primary key,
  received_at  timestamptz not null default now()
);
create index hook_notices_by_age on hook_notices (received_at);

-- Requests to delete what we held of a person's account. Kept, so that the same request hears the same code; nothing in it names anybody.
create table deletion_requests (
  code          text primary key check (code ~ '^[0-9a-z]{26}$'),
  digest        bytea not null unique,
  platform      text not null,
  accounts      integer not null, -- how many rows it concerned
  requested_at  timestamptz not null default now()
);
