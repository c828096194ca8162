-- A brand's calendar feed. Its address is the permission, so only a hash of it is stored.
create table calendar_feeds (
  brand_id    bigint primary key references brands on delete cascade,
  user_id     bigint not null references users on delete cascade,
  token_hash  bytea not null unique,
  created_at  timestamptz not null
);
create index calendar_feeds_of_user on calendar_feeds (user_id);
