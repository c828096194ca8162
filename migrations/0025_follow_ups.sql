-- What is added to a live post, such as its first comment. Like a delivery's, its row is record and job, and a change of it
-- changes nothing of the delivery.
create table follow_ups (
  follow_up_id  bigint generated always as identity primary key,
  delivery_id   bigint not null references deliveries on delete cascade,
  user_id       bigint not null references users on delete cascade,
  kind          text not null check (kind in ('first_comment')),
  state         text not null check (state in ('waiting', 'commenting', 'unconfirmed', 'done', 'failed')),
  data          jsonb not null, -- the rest of the state
  version       bigint not null default 1,
  wake_at       timestamptz,    -- null: nobody needs to look
  leased_until  timestamptz,
  fence         bigint not null default 0,
  created_at    timestamptz not null default now(),
  updated_at    timestamptz not null default now(),
  unique (delivery_id, kind),
  check (state not in ('waiting', 'commenting') or wake_at is not null)
);
create index follow_ups_to_wake on follow_ups (wake_at) where wake_at is not null;
create index follow_ups_of_user on follow_ups (user_id);
