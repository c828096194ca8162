-- What lists and the calendar show of a draft, so that they do not read its document, and what it takes of its user's storage.
alter table drafts
  add column summary text not null generated always as (left(content ->> 'text', 200)) stored,
  add column account_ids jsonb not null
    generated always as (jsonb_path_query_array(content, '$.targets[*].account_id')) stored,
  add column planned_for jsonb
    generated always as (coalesce(nullif(content -> 'publish_at', 'null'), content #> '{queue,slot}')) stored,
  add column slot_queue_id bigint generated always as (
    case when nullif(content -> 'publish_at', 'null') is null and content #> '{queue,slot}' is not null
      then (content #>> '{queue,queue_id}')::bigint end) stored,
  add column bytes int not null generated always as (octet_length(content::text)) stored;
