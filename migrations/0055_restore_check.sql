-- By which a start notices that its data were restored or copied: one row. Its name comes after those of deliveries and follow_ups, so
-- that a restore in the order of names fills it after them.
create table restore_check (
  only_row     boolean primary key default true check (only_row),
  -- Another one after each restore or copy that was noticed.
  database_id  uuid not null default gen_random_uuid(),
  -- Only grows, while machines keep the last that they saw outside the database.
  mark         bigint not null default 0,
  -- What a restore or a copy cannot carry along; null: nothing has started on these data since this table is there.
  fingerprint  jsonb,
  -- When a restore or a copy was noticed last.
  noticed_at   timestamptz
);
insert into restore_check default values;

alter table notifications drop constraint notifications_kind_check;
alter table notifications add constraint notifications_kind_check
  check (kind in ('failed', 'unconfirmed', 'missed', 'restored', 'link_again', 'access_ending', 'limit'));
