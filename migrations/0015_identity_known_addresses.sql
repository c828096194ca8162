-- The network addresses (an IPv6 one by its /64) from which an account has logged in, as keyed hashes. Wrong passwords from
-- elsewhere do not lock the account there.
create table identity_known_addresses (
  uid           text not null references identity_users on delete cascade,
  address_hash  bytea not null,
  last_seen_at  timestamptz not null,
  primary key (uid, address_hash)
);
create index identity_known_addresses_by_age on identity_known_addresses (last_seen_at);
