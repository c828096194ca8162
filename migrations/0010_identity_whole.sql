-- Users without a password (by mail link, by another provider, anonymous), every purpose of a mailed code, and mails that
-- survive a crash between the change that asked for them and their sending.

alter table identity_users
  alter column email drop not null,
  alter column password_hash drop not null,
  alter column password_updated_at drop not null,
  add column photo_url text check (length(photo_url) <= 2048),
  -- Came by a mailed link at least once: how Firebase tells such a user from one with a password.
  add column email_link boolean not null default false,
  -- What an operator has put into the tokens of this user: 1000 characters at most, as at Firebase.
  add column custom_claims jsonb check (jsonb_typeof(custom_claims) = 'object' and length(custom_claims::text) <= 1200),
  add check (length(display_name) <= 256),
  add check ((password_hash is null) = (password_updated_at is null)),
  add check (password_hash is null or email is not null);

-- Who a user is at another provider. One account there is one user here.
create table identity_federated (
  provider_id   text not null,
  raw_id        text not null,
  uid           text not null references identity_users on delete cascade,
  email         text,
  display_name  text,
  photo_url     text,
  linked_at     timestamptz not null,
  primary key (provider_id, raw_id),
  unique (uid, provider_id)
);

-- `anonymous`, `password` (a mailed link too, as at Firebase), or the id of another provider.
alter table identity_sessions
  drop constraint identity_sessions_provider_check,
  add check (length(provider) between 1 and 128);

alter table identity_codes
  drop constraint identity_codes_purpose_check,
  alter column uid drop not null, -- a mailed link may be somebody's first sign-in
  add column new_email text,
  add check (purpose in ('password_reset', 'email_sign_in', 'verify_email', 'verify_and_change_email', 'recover_email')),
  add check (uid is not null or purpose = 'email_sign_in'),
  add check ((new_email is not null) = (purpose = 'verify_and_change_email'));
create index identity_codes_of_address on identity_codes (email);

alter table identity_mail_requests
  drop constraint identity_mail_requests_purpose_check,
  -- Set where one certain user asked; else the address is looked up when the mail is made.
  add column uid text references identity_users on delete cascade,
  add column new_email text,
  add column continue_url text,
  add column locale text,
  -- Names the mail for whoever takes it, so that a second attempt is the same mail.
  add column mail_key uuid not null default gen_random_uuid(),
  -- The code in it, sealed, from the first attempt to the last.
  add column code bytea,
  add check (purpose in ('password_reset', 'email_sign_in', 'verify_email', 'verify_and_change_email', 'recover_email')),
  add check ((new_email is not null) = (purpose = 'verify_and_change_email'));
