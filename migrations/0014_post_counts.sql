-- What an account's posts of a day are counted by, however many there were before.
create index deliveries_published_at on deliveries (account_id, ((data -> 'at')::bigint)) where state = 'published';
create index deliveries_scheduled_by_account on deliveries (account_id, wake_at) where state = 'scheduled';
-- A scheduled delivery whose call was allowed moments ago: only while it is scheduled, so this stays small.
create index deliveries_allowed_at on deliveries (account_id, turn_at) where state = 'scheduled' and turn_at is not null;
