-- What has to be told or sent. A row is written in the transaction that makes it worth telling, claimed with a lease, and deleted
-- once it is done. For each post and each account at most one look waits, for each user at most one mail that still gathers.
create table outbox (
  event_id      uuid primary key default gen_random_uuid(), -- the Message-ID of a mail
  kind          text not null check (kind in ('post', 'account', 'mail')),
  user_id       bigint not null references users on delete cascade,
  post_id       bigint unique references posts on delete cascade,
  account_id    bigint unique references accounts on delete cascade,
  not_before    timestamptz not null,
  stage         text not null default 'gathering' check (stage in ('gathering', 'closed', 'handed_over')),
  attempts      int not null default 0, -- also the fencing token of a claim
  leased_until  timestamptz,
  created_at    timestamptz not null,
  check ((kind = 'post') = (post_id is not null)),
  check ((kind = 'account') = (account_id is not null)),
  check (kind = 'mail' or stage = 'gathering')
);
create index outbox_due on outbox (not_before);
create index outbox_of_user on outbox (user_id);
create unique index outbox_gathering on outbox (user_id) where kind = 'mail' and stage = 'gathering';

-- What a user was told: one row for a post, one for an account. Told again, it gets a new row in the place of the old one, so
-- that ids are in the order of time.
create table notifications (
  notification_id  bigint generated always as identity primary key,
  user_id          bigint not null references users on delete cascade,
  post_id          bigint unique references posts on delete cascade,
  account_id       bigint unique references accounts on delete cascade,
  kind             text not null check (kind in ('failed', 'unconfirmed', 'missed', 'link_again', 'access_ending', 'limit')),
  subject          text not null,
  title            text not null,
  message          text not null,
  facts            text not null,    -- what it was made from: the same again tells nothing
  in_app           boolean not null, -- false: only mailed
  mail_id          uuid references outbox on delete set null, -- the mail that it waits for
  at               timestamptz not null,
  read_at          timestamptz,
  check ((post_id is null) <> (account_id is null))
);
create index notifications_of_user on notifications (user_id, notification_id);
create index notifications_unread on notifications (user_id, notification_id) where in_app and read_at is null;
create index notifications_of_mail on notifications (mail_id) where mail_id is not null;
create index notifications_by_time on notifications (at);

-- What a user changed of the defaults. Lists of what is off, so that kinds to come are on.
create table notification_settings (
  user_id      bigint primary key references users on delete cascade,
  in_app_off   text[] not null,
  mail_off     text[] not null,
  digest       text not null check (digest in ('at_once', 'hourly', 'daily', 'never')),
  quiet_from   text check (quiet_from ~ '^\d\d:\d\d$'),
  quiet_until  text check (quiet_until ~ '^\d\d:\d\d$'),
  check ((quiet_from is null) = (quiet_until is null))
);

-- For the daily look at accounts whose access ends soon.
create index accounts_ending on accounts (access_ends_at) where unlinked_at is null and relink_reason is null;
