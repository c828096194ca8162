-- Who has deleted their account lately, as a hash. A hosted provider's tokens of before are good for an hour, and must not make
-- the user anew.
create table forgotten_users (
  uid_hash      bytea primary key,
  forgotten_at  timestamptz not null
);
create index forgotten_users_by_age on forgotten_users (forgotten_at);
