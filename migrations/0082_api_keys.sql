-- Secrets by which programs call the API in a user's name. Only the hash of a secret is stored.
create table api_keys (
  key_id        bigint generated always as identity primary key,
  user_id       bigint not null references users on delete cascade,
  name          text not null check (char_length(name) between 1 and 60),
  prefix        text not null, -- the first characters of the secret
  secret_hash   bytea not null unique,
  scopes        text[] not null,
  tags          text[] not null, -- the kinds of resources that the API had when the key was made
  limited_to    jsonb check (jsonb_typeof(limited_to) = 'object'), -- null: all brands and accounts
  login_since   timestamptz, -- ends with the sessions that existed when it was made
  created_at    timestamptz not null,
  expires_at    timestamptz,
  last_used_at  timestamptz -- to the minute
);
create index api_keys_of_user on api_keys (user_id);
