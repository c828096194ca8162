-- The cover of a live post is set, and whether it is as it was asked for is looked at, by follow-ups.
alter table follow_ups
  drop constraint follow_ups_kind_check,
  add constraint follow_ups_kind_check
    check (kind in ('first_comment', 'public_link', 'comments_off', 'cover', 'as_asked')) not valid;
