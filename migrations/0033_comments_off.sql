-- Comments of a live post are turned off by a follow-up.
alter table follow_ups
  drop constraint follow_ups_kind_check,
  add constraint follow_ups_kind_check check (kind in ('first_comment', 'public_link', 'comments_off')) not valid;
