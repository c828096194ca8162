-- One index of a video's posts, in order: beside the unordered one the planner read all posts of a video for its latest.
drop index posts_using_video;
drop index posts_of_video;
create index posts_of_video on posts (video_id, created_at) include (deleted_at);
