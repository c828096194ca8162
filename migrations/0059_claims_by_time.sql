-- A claim ranks all that is due, by user; the indexes by minute and user let it step over the backlog of each.
create index deliveries_to_send on deliveries (platform, wake_at)
  where wake_at is not null and state in ('scheduled', 'preparing');
create index deliveries_to_follow_up on deliveries (wake_at)
  where wake_at is not null and state not in ('scheduled', 'preparing');
drop index deliveries_to_send_by_user, deliveries_to_follow_up_by_user;
