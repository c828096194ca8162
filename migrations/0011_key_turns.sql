-- When a signing key came into its state: its turn, and its end, follow from that.
alter table identity_keys add column state_since timestamptz not null default now();
update identity_keys set state_since = created_at;
alter table identity_keys alter column state_since drop default;
