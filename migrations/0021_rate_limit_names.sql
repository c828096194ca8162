-- Names only: rate limits, cool-downs and access checks are called what the code calls them.

alter table platform_turns rename to platform_call_slots;
alter table platform_call_slots rename column promised to reserved;
alter table platform_call_slots rename constraint platform_turns_pkey to platform_call_slots_pkey;

alter table platform_allowances rename column told_at to reported_at;

alter table platform_holds rename to platform_cooldowns;
alter table platform_cooldowns rename column probe to trial_delivery_id;

alter table deliveries rename column turn_at to reserved_at;
alter index deliveries_allowed_at rename to deliveries_reserved_at;

alter table accounts rename column access_doubted_until to access_check_until;
alter index accounts_doubted rename to accounts_access_check;
