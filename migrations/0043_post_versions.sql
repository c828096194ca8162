-- A post that has not gone out can be changed: compare-and-set on its version, 1 more with each change.
alter table posts add column version int not null default 1 check (version > 0);
