-- The link of a live post is asked for by a follow-up. Links that are known stay with their deliveries.
alter table follow_ups
  drop constraint follow_ups_kind_check,
  add constraint follow_ups_kind_check check (kind in ('first_comment', 'public_link')) not valid;
