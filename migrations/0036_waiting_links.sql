-- A webhook about a post looks for the links that its account's posts still wait for, however many follow-ups there are.
create index follow_ups_waiting_for_link on follow_ups (user_id) where kind = 'public_link' and state = 'waiting';
