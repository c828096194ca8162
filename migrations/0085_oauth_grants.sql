-- What a program may fetch a key with: a device code, from its request on, or an authorization code. Only hashes of them are stored.
create table oauth_grants (
  secret_hash     bytea primary key,
  user_code_mac   bytea unique,         -- of what the user types; null: an authorization code
  client_id       text not null,
  client_name     text not null,
  device_name     text,                 -- what the device says of itself
  redirect_uri    text,                 -- null: a device code
  code_challenge  text,                 -- null: a device code
  state           text not null check (state in ('waiting', 'approved', 'declined')),
  scopes          text[] not null,      -- asked for; once approved, allowed
  user_id         bigint references users on delete cascade, -- who decided; null: nobody yet
  limited_to      jsonb check (jsonb_typeof(limited_to) = 'object'), -- null: all brands and accounts
  login_since     timestamptz,          -- ends with the sessions that existed when it was approved
  polled_at       timestamptz,          -- when the device asked last
  expires_at      timestamptz not null,
  check ((state = 'waiting') = (user_id is null)),
  check ((user_code_mac is null) = (redirect_uri is not null)),
  check ((user_code_mac is null) = (code_challenge is not null))
);
create index oauth_grants_of_user on oauth_grants (user_id);
create index oauth_grants_by_end on oauth_grants (expires_at);
