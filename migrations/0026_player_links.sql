-- An address of a video is for a platform, while a delivery needs it, or for the player in its owner's browser.
alter table media_links add column for_player boolean not null default false;
