-- What users reuse in many posts, under a name: a selection of accounts, a text, or options of a platform.
create table presets (
  preset_id   bigint generated always as identity primary key,
  user_id     bigint not null references users on delete cascade,
  kind        text not null check (kind in ('accounts', 'text', 'options')),
  brand_id    bigint references brands on delete cascade check (brand_id is null or kind = 'text'), -- null: for all brands
  name        text not null check (char_length(name) between 1 and 60),
  key         text not null generated always as (lower(normalize(name, NFKC))) stored,
  content     jsonb not null check (jsonb_typeof(content) = 'object'),
  version     int not null default 1 check (version > 0),
  created_at  timestamptz not null,
  updated_at  timestamptz not null
);
create unique index presets_by_name on presets (user_id, kind, key);
create index presets_of_brand on presets (brand_id) where brand_id is not null;
