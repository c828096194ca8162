-- A platform tells the handle of an account only with the permission to post; until then it goes by its displayed name.
alter table accounts alter column username drop not null;
update accounts set username = null where platform = 'tiktok' and not can_publish and username = display_name;

-- When the access ends unless it is renewed or the account linked again; null: not known until the next renewal.
alter table accounts add column access_ends_at timestamptz;
