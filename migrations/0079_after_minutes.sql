-- A delivery goes out so many minutes after its post's time. Moving the post keeps the distance.
alter table deliveries add column after_minutes integer not null default 0
  check (after_minutes between 0 and 10080);
