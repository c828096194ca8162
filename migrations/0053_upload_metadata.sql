-- The header Upload-Metadata as its client gave it, which HEAD answers to the letter.
alter table uploads add column upload_metadata text not null default '';
update uploads
set upload_metadata = coalesce((
  select string_agg(
    key || case when value is null then '' else ' ' || translate(encode(convert_to(value, 'UTF8'), 'base64'), E'\n', '') end, ',')
  from jsonb_each_text(metadata)), '');
alter table uploads drop column metadata, alter column upload_metadata drop default;
