-- A draft in the inbox of an account's owner. `not valid`: no scan under this lock; every row satisfies the narrower checks that go.
alter table deliveries
  drop constraint deliveries_state_check,
  drop constraint deliveries_check,
  add constraint deliveries_state_check check (
    state in ('scheduled', 'preparing', 'committing', 'processing', 'published', 'in_inbox', 'failed', 'blocked',
              'unconfirmed', 'cancelled')
  ) not valid,
  add constraint deliveries_session_check check (
    state not in ('committing', 'processing', 'in_inbox', 'unconfirmed') or session is not null
  ) not valid;
