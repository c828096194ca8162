-- What an operator does to a user: nothing of a disabled one goes out.
alter table users
  add column disabled_at timestamptz,
  -- Log-ins from before, and addresses that were made with them, no longer count. The built-in identity service has its own moment, too.
  add column logins_since timestamptz,
  add column quota_bytes bigint check (quota_bytes >= 0); -- null: STORAGE_QUOTA

-- The list of users, by address, and the search for its beginning.
create index users_by_address on users (lower(email) collate "C", user_id);
create index users_operators on users (user_id) where operator_by is not null;
