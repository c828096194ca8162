-- The processes of this server, each with its last heartbeat. One that stops in order deletes its row.
create table server_processes (
  process_id  uuid primary key,
  role        text not null check (role in ('all', 'web', 'worker')),
  host        text not null,
  version     text not null,
  started_at  timestamptz not null,
  seen_at     timestamptz not null
);
