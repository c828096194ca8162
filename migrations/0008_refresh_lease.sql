-- Access is renewed by one process at a time. The lease is on the row, so that nobody holds a connection, and nobody has to
-- wait for a process that hangs, while a platform takes its time to answer.
alter table accounts
  add column refresh_leased_until timestamptz,
  add column refresh_fence bigint not null default 0,
  add column refresh_failures integer not null default 0; -- in a row
