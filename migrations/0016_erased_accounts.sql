-- Once the data of an account is deleted, nobody can be asked what became of a post: it waits for its user alone.
alter table deliveries drop constraint deliveries_check1;
alter table deliveries add constraint deliveries_wake_at_check check (
  state not in ('scheduled', 'preparing', 'committing', 'processing', 'unconfirmed')
  or wake_at is not null
  or (state = 'unconfirmed' and data -> 'reason' ->> 'code' = 'account_erased_open')
);
