-- A picture of a video, made by the browser that sent the video. An <img> cannot send a bearer token, so its address works for
-- whoever was told it, for as long as it is there; kept readable, since every list tells it again.
create table posters (
  video_id     bigint primary key references videos on delete cascade,
  token        text not null unique,
  storage_key  text not null unique,
  mime         text not null,
  size         bigint not null check (size > 0)
);
