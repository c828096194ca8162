-- When a worker last looked for what is due: one row. What was due while none did must not all go out at once.
create table worker_heartbeat (
  only_row  boolean primary key default true check (only_row),
  seen_at   timestamptz -- null: never
);
-- The last thing that happened is the last that is known of the time before this table.
insert into worker_heartbeat (seen_at) values ((select at from delivery_events order by event_id desc limit 1));

-- Times in which no worker looked.
create table outages (
  outage_id  bigint generated always as identity primary key,
  since      timestamptz not null,
  until      timestamptz not null,
  check (since < until)
);
create index outages_by_end on outages (until);
