-- One index of a user's follow-ups instead of two. A plan that is made for all users does not know how few need attention, and
-- took the one that has them all.
drop index follow_ups_for_attention;
create index follow_ups_for_attention on follow_ups (user_id, attention_at);
drop index follow_ups_of_user;
