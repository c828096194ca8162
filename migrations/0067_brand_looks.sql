-- How a brand looks: a colour of the palette, and a logo. An <img> cannot send a bearer token, so the logo's address works for
-- whoever was told it, as that of a video's picture does.
alter table brands
  add column color text check (color in
    ('red', 'orange', 'amber', 'green', 'teal', 'blue', 'indigo', 'purple', 'pink', 'grey')),
  add column logo_token text unique,
  add column logo_key text unique,
  add column logo_size bigint check (logo_size > 0),
  add check (num_nulls(logo_token, logo_key, logo_size) in (0, 3));
