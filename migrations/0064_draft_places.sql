-- The place in a posting schedule that a draft proposes instead of a time, so that lists do not read its document.
alter table drafts
  add column place text generated always as (nullif(content #>> '{schedule,place}', 'slot')) stored;
