-- The embedded identity service. Nothing here lets a reader of the database sign in: passwords are argon2id, tokens and
-- codes are kept as SHA-256, private keys are sealed. With a hosted provider these tables stay empty.

create table identity_users (
  uid                  text primary key,
  email                text not null unique check (email = lower(email) and length(email) <= 255),
  email_verified       boolean not null default false,
  display_name         text,
  password_hash        text not null,
  password_updated_at  timestamptz not null,
  disabled             boolean not null default false,
  valid_since          timestamptz not null, -- tokens of earlier sign-ins are refused; whole seconds
  created_at           timestamptz not null,
  last_login_at        timestamptz not null
);

-- One row per sign-in. Its refresh token stays the same while the session lives: two tabs share it.
create table identity_sessions (
  token_hash    bytea primary key,
  uid           text not null references identity_users on delete cascade,
  provider      text not null check (provider in ('password')),
  signed_in_at  timestamptz not null,
  used_at       timestamptz not null
);
create index identity_sessions_of_user on identity_sessions (uid);
create index identity_sessions_by_use on identity_sessions (used_at);

-- The codes in mailed links. Using one deletes it; an expired one stays for a while, so that its owner hears "expired".
create table identity_codes (
  code_hash   bytea primary key,
  purpose     text not null check (purpose in ('password_reset')),
  uid         text not null references identity_users on delete cascade,
  email       text not null,
  expires_at  timestamptz not null
);
create index identity_codes_of_user on identity_codes (uid);
create index identity_codes_by_expiry on identity_codes (expires_at);

-- What was asked for by mail, whether or not the address is known: the answer takes the same work either way. The code is
-- made when the mail is sent, so that it never lies here in the clear.
create table identity_mail_requests (
  request_id    bigint generated always as identity primary key,
  purpose       text not null check (purpose in ('password_reset')),
  email         text not null,
  requested_at  timestamptz not null,
  due_at        timestamptz not null,
  attempts      integer not null default 0
);
create index identity_mail_requests_due on identity_mail_requests (due_at);

create table identity_keys (
  kid          text primary key,
  state        text not null check (state in ('next', 'current', 'retired')),
  public_jwk   jsonb not null,
  private_jwk  bytea not null, -- sealed
  created_at   timestamptz not null default now()
);
-- However many processes start at once, one key signs.
create unique index identity_keys_one_of_each on identity_keys (state) where state <> 'retired';

-- The shape that rate-limiter-flexible expects.
create table identity_throttle (
  key     varchar(255) primary key,
  points  integer not null default 0,
  expire  bigint -- epoch ms
);
create index identity_throttle_by_expiry on identity_throttle (expire);
