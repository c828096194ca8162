-- The library: names that can be searched and sorted without regard to case, tags, and brands.
alter table videos
  add column search_name text not null generated always as (lower(normalize(filename, NFKC))) stored,
  add column brand_id bigint references brands on delete set null;
drop index videos_of_user;
create index videos_of_user on videos (user_id, created_at, video_id) where deleted_at is null;
create index videos_by_name on videos (user_id, search_name, video_id) where deleted_at is null;
create index videos_by_size on videos (user_id, size, video_id) where deleted_at is null;
create index videos_of_brand on videos (brand_id) where brand_id is not null;

-- A deleted video has none.
create table video_tags (
  video_id  bigint not null references videos on delete cascade,
  user_id   bigint not null references users on delete cascade,
  tag       text not null check (char_length(tag) between 1 and 40),
  key       text not null generated always as (lower(normalize(tag, NFKC))) stored,
  primary key (video_id, key)
);
create index video_tags_of_user on video_tags (user_id, key, video_id);

-- The brands that a video was posted for, so that a brand's videos are found without reading its posts.
create table posted_brands (
  brand_id  bigint not null references brands on delete cascade,
  video_id  bigint not null references videos on delete cascade,
  primary key (brand_id, video_id)
);
create index posted_brands_of_video on posted_brands (video_id);
insert into posted_brands (brand_id, video_id)
  select distinct a.brand_id, p.video_id
  from posts p join deliveries d on d.post_id = p.post_id join accounts a on a.account_id = d.account_id
  join videos v on v.video_id = p.video_id
  where v.deleted_at is null;

-- Where a video is used.
create index posts_using_video on posts (video_id, created_at) where deleted_at is null;
alter table drafts
  add column video_id bigint generated always as ((content ->> 'video_id')::bigint) stored;
create index drafts_using_video on drafts (user_id, video_id) where deleted_at is null and video_id is not null;
