-- A post that was taken off the lists. Its row stays: a resend of its key must not make another, its deliveries count against
-- what its accounts may post, and what is live stays live.
alter table posts add column deleted_at timestamptz;
create index posts_deleted on posts (user_id, post_id) where deleted_at is not null;

-- Keys whose sender gave up while the request was on its way: what arrives with one makes nothing.
create table withdrawn_keys (
  user_id          bigint not null references users on delete cascade,
  idempotency_key  text not null,
  withdrawn_at     timestamptz not null default now(),
  primary key (user_id, idempotency_key)
);
create index withdrawn_keys_by_age on withdrawn_keys (withdrawn_at);
