-- Who logs in through an OpenID Connect provider. A provider never gives a subject to somebody else; two providers may have equal ones.
create table identity_provider_links (
  issuer            text not null,
  subject           text not null,
  uid               text not null references identity_users on delete cascade,
  provider          text not null, -- its id in OIDC_PROVIDERS when they were linked
  linked_at         timestamptz not null,
  -- The one-time token of a log-in that the browser has not yet finished.
  token_hash        bytea unique,
  token_expires_at  timestamptz,
  primary key (issuer, subject),
  check ((token_hash is null) = (token_expires_at is null))
);
create index identity_provider_links_of_user on identity_provider_links (uid);

-- provider: a claim of the provider says so.
alter table users
  drop constraint users_operator_by_check,
  add constraint users_operator_by_check check (operator_by in ('first', 'granted', 'provider'));
