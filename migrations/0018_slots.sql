-- What a claimed delivery is worked on as: an upload of ours, or a short call. It holds while `leased_until` is yet to come.
alter table deliveries add column slot text check (slot in ('upload', 'call'));
create index deliveries_leased on deliveries (slot, leased_until) where leased_until is not null;

-- Uploads and calls are claimed apart, so that neither has to step over the other's backlog.
create index deliveries_to_send on deliveries (platform, wake_at)
  where wake_at is not null and state in ('scheduled', 'preparing');
create index deliveries_to_follow_up on deliveries (wake_at)
  where wake_at is not null and state not in ('scheduled', 'preparing');
create index deliveries_uploading on deliveries (platform) where state = 'preparing' and session is not null;
drop index deliveries_to_wake;
