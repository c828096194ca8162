-- A transaction of its own: it reads follow_ups, and touches only the published deliveries that still wait, found by their index.
alter table follow_ups validate constraint follow_ups_kind_check;
insert into follow_ups (delivery_id, user_id, kind, state, data, wake_at)
  select delivery_id, user_id, 'public_link', 'waiting',
         jsonb_build_object('since', data -> 'at', 'asks', 100, 'postId', data -> 'postId', 'reason', null), wake_at
  from deliveries where state = 'published' and wake_at is not null and data ->> 'url' is null
  on conflict (delivery_id, kind) do nothing;
update deliveries set wake_at = null, version = version + 1 where state = 'published' and wake_at is not null;
