-- Since when a follow-up that failed or is unconfirmed waits to be seen by its user; null: it does not, or it was dismissed.
alter table follow_ups add column attention_at timestamptz;
update follow_ups
  set attention_at = to_timestamp(coalesce((data ->> 'at')::float8, (data ->> 'calledAt')::float8) / 1000)
  where state in ('failed', 'unconfirmed');
create index follow_ups_for_attention on follow_ups (user_id, attention_at) where attention_at is not null;
