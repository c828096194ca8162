-- Whose log-in an address stands for: it ends with that, as sessions do. The user's `valid_since` when it was made; null: the identity
-- provider is a hosted one, which does not tell. Addresses for platforms have none.
alter table calendar_feeds add column login_since timestamptz;
update calendar_feeds f set login_since = i.valid_since
  from users u join identity_users i on i.uid = u.uid where u.user_id = f.user_id;
alter table media_links add column login_since timestamptz;
update media_links m set login_since = i.valid_since
  from videos v join users u on u.user_id = v.user_id join identity_users i on i.uid = u.uid
  where v.video_id = m.video_id and m.for_player;
