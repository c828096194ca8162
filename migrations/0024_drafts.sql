-- Posts that are being written. A draft is a document of its user; the delivery engine knows nothing of it. Its id is chosen by
-- the browser, so that a lost answer makes no second draft; it is unique among the user's own, so that it tells nothing of others.
create table drafts (
  user_id     bigint not null references users on delete cascade,
  draft_id    uuid not null,
  version     int not null default 1 check (version > 0),
  content     jsonb not null check (jsonb_typeof(content) = 'object'),
  created_at  timestamptz not null,
  updated_at  timestamptz not null,
  deleted_at  timestamptz, -- set: can be restored for 30 days
  primary key (user_id, draft_id)
);
create index drafts_by_time on drafts (user_id, updated_at) where deleted_at is null;
create index drafts_deleted on drafts (user_id, deleted_at) where deleted_at is not null;
create index drafts_to_purge on drafts (deleted_at) where deleted_at is not null;
