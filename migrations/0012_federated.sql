-- Credentials of other providers that may be used once: an ID token that carries a nonce, and what we hand out to finish a
-- sign-in with. Hashed; kept until the credential itself has run out.
create table identity_used_credentials (
  credential_hash  bytea primary key,
  expires_at       timestamptz not null
);
create index identity_used_credentials_by_expiry on identity_used_credentials (expires_at);

-- The service counts the characters that an operator sent. In the database the same may be longer: 1e300 has 301 digits here.
alter table identity_users
  drop constraint identity_users_custom_claims_check,
  add check (jsonb_typeof(custom_claims) = 'object');
