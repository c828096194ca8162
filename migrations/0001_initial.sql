-- Ids are bigints below 2^53: they are integers on the wire. Times are timestamptz. Nothing that a user published is
-- ever deleted with the account that published it: brands and accounts leave a row behind.

create table users (
  user_id     bigint generated always as identity primary key,
  uid         text not null unique,
  email       text not null,
  nickname    text not null check (length(nickname) between 1 and 50),
  timezone    text not null,
  created_at  timestamptz not null default now()
);

create table brands (
  brand_id    bigint generated always as identity primary key,
  user_id     bigint not null references users on delete cascade,
  title       text not null check (length(title) between 1 and 50),
  created_at  timestamptz not null default now(),
  deleted_at  timestamptz
);
create index brands_of_user on brands (user_id) where deleted_at is null;

create table accounts (
  account_id          bigint generated always as identity primary key,
  user_id             bigint not null references users on delete cascade,
  brand_id            bigint not null references brands,
  platform            text not null,
  external_id         text not null,
  username            text not null,
  display_name        text not null,
  avatar_url          text,
  scopes              text[] not null,
  can_publish         boolean not null,
  tokens              bytea, -- sealed; null once unlinked
  refresh_due_at      timestamptz,
  relink_reason       text, -- set: the user must link it again
  linked_at           timestamptz not null default now(),
  unlinked_at         timestamptz,
  check ((unlinked_at is null) = (tokens is not null))
);
create unique index accounts_linked_once on accounts (user_id, platform, external_id) where unlinked_at is null;
create index accounts_of_brand on accounts (brand_id) where unlinked_at is null;
create index accounts_to_refresh on accounts (refresh_due_at) where unlinked_at is null and relink_reason is null;

-- One row per visit to a consent page. `outcome` lets a browser that asks twice hear the same answer.
create table link_attempts (
  state_hash    bytea primary key,
  user_id       bigint not null references users on delete cascade,
  brand_id      bigint not null references brands,
  account_id    bigint references accounts,
  platform      text not null,
  redirect_uri  text not null,
  created_at    timestamptz not null default now(),
  used_at       timestamptz,
  outcome       jsonb
);
create index link_attempts_by_age on link_attempts (created_at);

create table videos (
  video_id     bigint generated always as identity primary key,
  user_id      bigint not null references users on delete cascade,
  storage_key  text not null unique,
  filename     text not null,
  mime         text not null,
  size         bigint not null check (size > 0),
  sha256       text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  facts        jsonb not null,
  created_at   timestamptz not null default now(),
  deleted_at   timestamptz
);
create index videos_of_user on videos (user_id, created_at desc) where deleted_at is null;

-- The addresses that platforms pull from. Only the hash of the token is kept.
create table media_links (
  token_hash  bytea primary key,
  video_id    bigint not null references videos on delete cascade,
  expires_at  timestamptz not null
);
create index media_links_by_expiry on media_links (expires_at);

create table posts (
  post_id           bigint generated always as identity primary key,
  user_id           bigint not null references users on delete cascade,
  video_id          bigint not null references videos,
  text              text not null,
  publish_at        timestamptz,
  publish_local     text,
  timezone          text,
  idempotency_key   text,
  idempotency_hash  bytea,
  created_at        timestamptz not null default now(),
  check ((publish_at is null) = (publish_local is null) and (publish_at is null) = (timezone is null)),
  check ((idempotency_key is null) = (idempotency_hash is null))
);
create unique index posts_idempotent on posts (user_id, idempotency_key) where idempotency_key is not null;
create index posts_of_user on posts (user_id, post_id desc);
create index posts_of_video on posts (video_id);

-- The record and the job in one row: what a delivery is, and when somebody must look at it next.
create table deliveries (
  delivery_id   bigint generated always as identity primary key,
  post_id       bigint not null references posts on delete cascade,
  user_id       bigint not null references users on delete cascade,
  account_id    bigint not null references accounts,
  platform      text not null,
  options       jsonb not null,
  state         text not null check (state in ('scheduled', 'preparing', 'committing', 'processing', 'published',
                                               'failed', 'blocked', 'unconfirmed', 'cancelled')),
  data          jsonb not null, -- the rest of the state, without the session
  session       bytea,          -- sealed: it may hold upload addresses that work for anyone
  version       bigint not null default 1,
  wake_at       timestamptz,    -- null: nobody needs to look
  leased_until  timestamptz,
  fence         bigint not null default 0,
  created_at    timestamptz not null default now(),
  updated_at    timestamptz not null default now(),
  unique (post_id, account_id),
  check (state not in ('committing', 'processing', 'unconfirmed') or session is not null),
  check (state not in ('scheduled', 'preparing', 'committing', 'processing', 'unconfirmed') or wake_at is not null)
);
create index deliveries_to_wake on deliveries (wake_at) where wake_at is not null;
create index deliveries_of_user on deliveries (user_id, state);
create index deliveries_of_account on deliveries (account_id, state);
-- One irreversible call in flight per account, across all machines.
create unique index deliveries_one_commit_per_account on deliveries (account_id) where state = 'committing';

create table delivery_events (
  event_id     bigint generated always as identity primary key,
  delivery_id  bigint not null references deliveries on delete cascade,
  user_id      bigint not null references users on delete cascade,
  state        text not null,
  message      text not null,
  at           timestamptz not null default now()
);
create index delivery_events_of_delivery on delivery_events (delivery_id, event_id);
create index delivery_events_of_user on delivery_events (user_id, event_id);
