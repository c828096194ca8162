-- Deleting a row looks for the rows that refer to it: without an index each look is a scan of their whole table.
create index media_links_of_video on media_links (video_id) where video_id is not null;
create index media_links_of_picture on media_links (picture_id) where picture_id is not null;
create index link_attempts_of_user on link_attempts (user_id);
create index link_attempts_of_brand on link_attempts (brand_id);
create index link_attempts_of_account on link_attempts (account_id) where account_id is not null;
create index identity_mail_requests_of_user on identity_mail_requests (uid);
-- The indexes that lists use leave out what was unlinked or deleted.
create index accounts_with_unlinked on accounts (user_id);
create index brands_with_deleted on brands (user_id);
create index videos_with_deleted on videos (user_id);
