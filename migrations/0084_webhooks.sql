-- Addresses that are told of events. Their secrets are encrypted.
create table webhooks (
  webhook_id        bigint generated always as identity primary key,
  user_id           bigint not null references users on delete cascade,
  address           text not null check (char_length(address) <= 2000),
  events            text[] not null,
  secret            bytea not null,
  old_secret        bytea,           -- signs too, until its time
  old_secret_until  timestamptz,
  succeeded_at      timestamptz,     -- the last time, to the minute
  failed_at         timestamptz,     -- the last time, to the minute
  off_at            timestamptz,     -- since when nothing new is sent; null: it is on
  off_by            text check (off_by in ('user', 'failures')),
  created_at        timestamptz not null,
  check ((old_secret is null) = (old_secret_until is null)),
  check ((off_at is null) = (off_by is null))
);
create index webhooks_of_user on webhooks (user_id);

-- What a webhook is told: record, job and log in one. A row is written in the transaction of the change that it tells of, claimed by
-- moving wake_at to the end of a lease, and deleted after 30 days.
create table webhook_messages (
  message_id    bigint generated always as identity primary key,
  webhook_id    bigint not null references webhooks on delete cascade,
  event_id      uuid not null,       -- one for all attempts, and for all webhooks that are told of the event
  type          text not null,
  body          text not null,       -- as it is sent
  created_at    timestamptz not null,
  tried_since     timestamptz not null, -- since when it is tried: when it was made, or last sent again
  wake_at       timestamptz,         -- null: it is not sent by itself
  attempts      int not null default 0, -- also the fencing token of a claim
  attempted_at  timestamptz,
  delivered_at  timestamptz,
  status        smallint,            -- of the last answer
  answer        text,                -- its beginning
  failure       text                 -- why the last attempt failed, or why there is none
);
create index webhook_messages_due on webhook_messages (webhook_id, wake_at) where wake_at is not null;
create index webhook_messages_log on webhook_messages (webhook_id, created_at desc, message_id desc);

-- What webhooks were told of a post. The row's lock gives the events of a post their order.
create table webhook_posts (
  post_id   bigint primary key references posts on delete cascade,
  sequence  bigint not null,         -- the last number that an event of the post got: its epoch ms, or more
  ended_as  text                     -- how the post ended, as it was told; null: it was not, or the post goes on
);

-- A user is notified of a webhook that was switched off.
alter table outbox add column webhook_id bigint unique references webhooks on delete cascade;
alter table outbox drop constraint outbox_kind_check;
alter table outbox add constraint outbox_kind_check check (kind in ('post', 'account', 'webhook', 'mail'));
alter table outbox add check ((kind = 'webhook') = (webhook_id is not null));

alter table notifications add column webhook_id bigint unique references webhooks on delete cascade;
alter table notifications drop constraint notifications_check;
alter table notifications add check (num_nonnulls(post_id, account_id, webhook_id) = 1);
alter table notifications drop constraint notifications_kind_check;
alter table notifications add constraint notifications_kind_check
  check (kind in ('failed', 'unconfirmed', 'missed', 'restored', 'link_again', 'access_ending', 'limit', 'webhook_off'));
