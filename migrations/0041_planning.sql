-- Planning: a brand's own time zone, pauses, and queues whose weekly slots give posts their times.
alter table brands
  add column timezone text, -- null: the user's
  add column paused_at timestamptz;
alter table accounts add column paused_at timestamptz;

-- A deleted queue's row stays, for the posts that had their times from it.
create table queues (
  queue_id        bigint generated always as identity primary key,
  user_id         bigint not null references users on delete cascade,
  brand_id        bigint not null references brands on delete cascade,
  name            text not null check (char_length(name) between 1 and 50),
  paused_at       timestamptz,
  jitter_minutes  int not null default 0 check (jitter_minutes between 0 and 60),
  version         int not null default 1,
  deleted_at      timestamptz
);
create index queues_of_user on queues (user_id);
create index queues_of_brand on queues (brand_id);
create unique index queues_by_name on queues (brand_id, lower(name)) where deleted_at is null;

create table queue_slots (
  slot_id    bigint generated always as identity primary key,
  queue_id   bigint not null references queues on delete cascade,
  weekday    int not null check (weekday between 1 and 7), -- ISO 8601: 1 is Monday
  time       text not null check (time ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
  platforms  text[] check (cardinality(platforms) > 0),    -- null: any
  unique (queue_id, weekday, time)
);

-- `slot_local`: the slot's wall clock; `publish_local` is that or, by the queue's jitter, some minutes later.
alter table posts
  add column queue_id bigint references queues on delete set null,
  add column slot_local text check (slot_local ~ '^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$'),
  add check (queue_id is null or (slot_local is not null and publish_at is not null));
create index posts_of_queue on posts (queue_id, publish_at) where queue_id is not null;
-- Posts to come, whose wall clocks are read again when the rules of time zones change.
create index posts_to_come on posts (publish_at, post_id) where publish_at is not null and deleted_at is null;
