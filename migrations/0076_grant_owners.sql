-- Whose login at the platform gave an account's grant: taking one grant back there ends all of that login.
alter table accounts add column grant_owner_id text;
create index accounts_by_grant_owner on accounts (platform, grant_owner_id) where grant_owner_id is not null;
