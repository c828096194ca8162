-- Who may sign up, as an operator chose it. Null: everybody, unless SIGNUP says otherwise.
alter table server_state add column signup text check (signup in ('open', 'closed', 'invited'));

-- One link, with which one user signs up. Its row goes when it expires.
create table invitations (
  invitation_id  bigint generated always as identity primary key,
  secret_hash    bytea not null unique,
  email          text, -- null: whoever has the link
  created_at     timestamptz not null,
  expires_at     timestamptz not null,
  used_at        timestamptz,
  used_by        text,
  check ((used_at is null) = (used_by is null))
);
