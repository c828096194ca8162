-- What is held after a restore, to be decided about: none, or very many.
create index deliveries_restored on deliveries (user_id, goes_out_at, delivery_id) where state = 'blocked' and cause = 'restored';
