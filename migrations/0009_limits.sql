-- What platforms allow, as far as it is known here. All of it is by the platform's own id of an account: several users may have
-- linked it, and it may be unlinked and linked again, and the platform counts all of that together.

-- When a limited call was made for an account, and when it may be made by those who wait. Epoch ms; only what still counts.
create table platform_turns (
  platform     text not null,
  external_id  text not null,
  call         text not null,
  made         jsonb not null default '[]',
  promised     jsonb not null default '[]',
  primary key (platform, external_id, call)
);

-- How many posts of a day are used, by the platform's word.
create table platform_allowances (
  platform     text not null,
  external_id  text not null,
  used         integer,
  total        integer, -- null: it was asked and did not tell
  told_at      timestamptz,
  ask_at       timestamptz not null, -- not asked again before; while somebody asks, until they must have heard
  primary key (platform, external_id)
);

-- The platform said stop: to an account, or to all of this server.
create table platform_holds (
  platform     text not null,
  external_id  text, -- null: everybody
  what         text not null check (what in ('posts', 'calls', 'slow')),
  until        timestamptz not null,
  reason       jsonb not null,
  probe        bigint, -- the delivery that tries whether it is over
  unique nulls not distinct (platform, external_id, what)
);

-- When it was last given leave to open a post: for a moment nothing else in the row tells it from those that still wait.
alter table deliveries add column turn_at timestamptz;
