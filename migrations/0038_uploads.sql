-- Uploads that are sent in parts (tus). How much has arrived is the size of the stored file, never a column.
create table uploads (
  upload_id    text primary key check (upload_id ~ '^[0-9a-f]{32}$'),
  user_id      bigint not null references users on delete cascade,
  storage_key  text not null unique,
  filename     text not null,
  metadata     jsonb not null,
  size         bigint not null check (size > 0),
  video_id     bigint references videos on delete cascade,
  created_at   timestamptz not null default now(),
  expires_at   timestamptz not null
);
create index uploads_of_user on uploads (user_id, video_id);
create index uploads_of_video on uploads (video_id) where video_id is not null;
create index uploads_by_expiry on uploads (expires_at);
