-- What the program that made a post calls it.
alter table posts add column reference text check (char_length(reference) between 1 and 200);
create index posts_by_reference on posts (user_id, reference, post_id) where reference is not null;
