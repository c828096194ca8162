-- A transaction of its own: reads the table while posts go out.
alter table deliveries validate constraint deliveries_state_check, validate constraint deliveries_session_check;
