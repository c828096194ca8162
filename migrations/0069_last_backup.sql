-- What is known of backups, for the people who run the server: the last that was made, and the latest nightly one that failed since.
create table last_backup (
  only_row   boolean primary key default true check (only_row),
  name       text,
  -- The folder or bucket, for people.
  place      text,
  made_at    timestamptz,
  rows       bigint,
  files      bigint,
  bytes      bigint,
  failed_at  timestamptz,
  failure    text,
  check (num_nulls(name, place, made_at, rows, files, bytes) in (0, 6)),
  check (num_nulls(failed_at, failure) in (0, 2))
);
insert into last_backup default values;
