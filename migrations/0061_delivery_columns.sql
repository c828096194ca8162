-- What SQL reads of a delivery's record. `data` is the only place that is written.
drop index deliveries_ended, deliveries_published_at, deliveries_spaced, deliveries_sent_at;
drop statistics deliveries_ended_at;
alter table deliveries
  drop constraint deliveries_wake_at_check,
  drop column settled_at,
  add column attempt int generated always as ((data ->> 'attempt')::int) stored,
  add column due_at timestamptz generated always as (to_timestamp((data ->> 'dueAt')::float8 / 1000)) stored,
  add column sent_bytes bigint generated always as ((data ->> 'sent')::bigint) stored,
  -- Calls to publish that are known to have had no effect.
  add column commits int generated always as ((data ->> 'commits')::int) stored,
  -- When the call to publish went out; at the latest, when its outcome was known.
  add column sent_at timestamptz
    generated always as (to_timestamp(coalesce(data ->> 'since', data ->> 'at')::float8 / 1000)) stored,
  add column ended_at timestamptz generated always as (to_timestamp((data ->> 'at')::float8 / 1000)) stored,
  add column platform_post_id text generated always as (data ->> 'postId') stored,
  add column cause text generated always as (data ->> 'cause') stored,
  add column reason_code text generated always as (data -> 'reason' ->> 'code') stored,
  -- Held after a restore, or only asked about since.
  add column restored boolean not null generated always as (
    coalesce(data ->> 'cause' = 'restored' or (data ->> 'restored')::boolean, false)) stored,
  -- When a failure was dismissed, or replaced by a newer post. null: it needs its user.
  add column settled_at timestamptz generated always as (to_timestamp((data #>> '{settled,at}')::float8 / 1000)) stored,
  add constraint deliveries_wake_at_check check (
    state not in ('scheduled', 'preparing', 'committing', 'processing', 'unconfirmed')
    or wake_at is not null
    or (state = 'unconfirmed' and reason_code = 'account_erased_open'));

-- What a user published last, and what was published or failed on which day, however much there is before it.
create index deliveries_ended on deliveries (user_id, state, ended_at desc) where state in ('published', 'failed');
-- What an account's posts of a day are counted by, however many there were before.
create index deliveries_published_at on deliveries (account_id, ended_at) where state = 'published';
-- When the last late post of an account goes out, or went out, is asked with every release.
create index deliveries_spaced on deliveries (account_id, wake_at)
  where state = 'scheduled' and reason_code = 'waiting_late';
create index deliveries_sent_at on deliveries (account_id, sent_at)
  where state in ('processing', 'unconfirmed', 'in_inbox');
analyze deliveries;

alter table follow_ups add column platform_post_id text generated always as (data ->> 'postId') stored;
