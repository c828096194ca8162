-- When a failure was settled: dismissed by its user, or replaced by a newer post. null: it needs its user.
alter table deliveries add column settled_at timestamptz check (settled_at is null or state = 'failed');
-- Whether an account has a video already is asked by the video's bytes: the same file may have been uploaded more than once.
create index videos_by_sha256 on videos (sha256);
