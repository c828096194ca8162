-- A pause may end by itself. Few are set, so the partial indexes are small.
alter table accounts
  add column paused_until timestamptz check (paused_until is null or paused_at is not null);
alter table brands
  add column paused_until timestamptz check (paused_until is null or paused_at is not null);
alter table schedules
  add column paused_until timestamptz check (paused_until is null or paused_at is not null);

create index accounts_paused_until on accounts (paused_until) where paused_until is not null;
create index brands_paused_until on brands (paused_until) where paused_until is not null;
create index schedules_paused_until on schedules (paused_until) where paused_until is not null;
