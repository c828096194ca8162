-- What a delivery did since it went live: its latest numbers here, those of fixed ages in result_marks.
create table results (
  delivery_id  bigint primary key references deliveries on delete cascade,
  -- As its delivery has them, which is deleted with each of them. Without references of their own a save locks nothing more.
  post_id      bigint not null,
  user_id      bigint not null,
  account_id   bigint not null,
  brand_id     bigint not null,      -- the account's when it went live
  live_at      timestamptz not null,
  next_at      timestamptz,          -- when it is read next; null: no more
  read_at      timestamptz,          -- when the platform told the latest numbers
  latest       jsonb not null default '{}',
  views        bigint generated always as ((latest ->> 'views')::bigint) stored,
  missed_at    timestamptz,          -- the first of the readings since that did not find it
  gone_at      timestamptz           -- that, once one a day later did not find it either
);
create index results_to_read on results (account_id, next_at) where next_at is not null;
create index results_of_user on results (user_id, live_at desc, delivery_id desc);
create index results_of_post on results (post_id, live_at desc, delivery_id desc);
create index results_of_account on results (account_id, live_at desc, delivery_id desc);

-- A row per delivery and age. What was never read has none.
create table result_marks (
  delivery_id  bigint not null references results on delete cascade,
  age_hours    smallint not null,
  account_id   bigint not null, -- that of its result
  read_at      timestamptz not null,
  missing      text check (missing in ('not_yet', 'not_allowed', 'gone')), -- null: it has numbers
  numbers      jsonb not null default '{}',
  views        bigint generated always as ((numbers ->> 'views')::bigint) stored,
  primary key (delivery_id, age_hours)
);
create index result_marks_usual on result_marks (account_id, age_hours, read_at desc) include (views) where views is not null;

-- One reader at a time for each account.
create table result_readers (
  account_id    bigint primary key,
  user_id       bigint not null,
  wake_at       timestamptz,         -- null: nothing is to be read
  leased_until  timestamptz,
  fence         bigint not null default 0
);
create index result_readers_of_user on result_readers (user_id);
create index result_readers_to_wake on result_readers (wake_at) where wake_at is not null;

-- What is live already is read from now on.
insert into results (delivery_id, post_id, user_id, account_id, brand_id, live_at, next_at)
select d.delivery_id, d.post_id, d.user_id, d.account_id, a.brand_id, to_timestamp((data ->> 'at')::float8 / 1000), now()
from deliveries d join accounts a using (account_id) where state = 'published' and goes_out_at is not null and (data ->> 'at')::float8 / 1000 > extract(epoch from now()) - 84 * 86400;
insert into result_readers (account_id, user_id, wake_at)
select distinct account_id, user_id, now() from results;

-- What an agency says of a brand's month, and the address at which a client reads it.
create table reports (
  brand_id    bigint not null references brands on delete cascade,
  month       text not null check (month ~ '^\d{4}-\d{2}$'),
  user_id     bigint not null references users on delete cascade,
  note        text not null default '' check (char_length(note) <= 5000),
  token_hash  bytea unique,        -- null: nobody else can read it
  expires_at  timestamptz check (expires_at is not null or token_hash is null),
  login_since timestamptz,
  primary key (brand_id, month)
);
create index reports_of_user on reports (user_id);
