-- When the last late post of an account goes out, or went out, is asked with every release: one row of each index instead of all
-- that wait, or that are in the inboxes of their owners.
create index deliveries_spaced on deliveries (account_id, wake_at)
  where state = 'scheduled' and data -> 'reason' ->> 'code' = 'waiting_late';
create index deliveries_sent_at on deliveries (account_id, ((coalesce(data -> 'since', data -> 'at'))::bigint))
  where state in ('processing', 'unconfirmed', 'in_inbox');
