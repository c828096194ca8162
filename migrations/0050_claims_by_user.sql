-- Claims go from user to user: by the minute in which something fell due, each user's rows of a minute are skipped at once. With
-- the exact time in the place of the minute, every row of a user's backlog would have to be passed by itself.
create index deliveries_to_send_by_user on deliveries
  (platform, date_bin('1 minute', wake_at, timestamptz '1970-01-01 00:00:00+00'), user_id, account_id, wake_at)
  where wake_at is not null and state in ('scheduled', 'preparing');
create index deliveries_to_follow_up_by_user on deliveries
  (date_bin('1 minute', wake_at, timestamptz '1970-01-01 00:00:00+00'), user_id, account_id, wake_at)
  where wake_at is not null and state not in ('scheduled', 'preparing');
drop index deliveries_to_send, deliveries_to_follow_up;
