-- The keys of the platforms' apps that an operator entered. The environment's win.
create table platform_keys (
  platform    text primary key,
  keys        bytea not null, -- encrypted: the variables and their values, as JSON
  changed_at  timestamptz not null
);
