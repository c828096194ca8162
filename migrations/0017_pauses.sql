-- Since when a platform has told an account, or this server's app, to stop.
alter table platform_holds add column since timestamptz not null default now();
