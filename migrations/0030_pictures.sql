-- Pictures that users upload as covers of their posts. One that nothing has used for long enough is deleted.
create table pictures (
  picture_id   bigint generated always as identity primary key,
  user_id      bigint not null references users on delete cascade,
  token        text not null unique, -- of the address where browsers see it
  storage_key  text not null unique,
  sha256       text not null,
  size         bigint not null check (size > 0),
  width        int not null check (width > 0),
  height       int not null check (height > 0),
  created_at   timestamptz not null,
  used_at      timestamptz not null  -- when it was uploaded, or last needed for a post
);
create index pictures_of_user on pictures (user_id);
create index pictures_by_use on pictures (used_at);

create table delivery_pictures (
  delivery_id  bigint primary key references deliveries on delete cascade,
  picture_id   bigint not null references pictures on delete cascade
);
create index delivery_pictures_by_picture on delivery_pictures (picture_id);

-- Their addresses for platforms are made like those of videos.
alter table media_links
  alter column video_id drop not null,
  add column picture_id bigint references pictures on delete cascade,
  add check (num_nonnulls(video_id, picture_id) = 1);
