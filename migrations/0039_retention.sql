-- Housekeeping goes through all stored videos, page by page.
create index videos_stored on videos (video_id) where deleted_at is null;
