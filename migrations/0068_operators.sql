-- Who runs the server. The first user does, unless OPERATOR_EMAIL names somebody; further ones are granted it.
alter table users add column operator_by text check (operator_by in ('first', 'granted'));
update users set operator_by = 'first' where user_id = (select min(user_id) from users);

-- What all processes agree on: one row. Only the very first user becomes an operator, also if all users are deleted later.
create table server_state (
  only_row    boolean primary key default true check (only_row),
  first_user  boolean not null -- has signed up
);
insert into server_state (first_user) values (exists (select from users));

-- Every operator's act. It outlives users, so it names them by address.
create table operator_acts (
  act_id    bigint generated always as identity primary key,
  at        timestamptz not null,
  operator  text, -- null: somebody at the server's command line
  act       text not null,
  subject   text not null,
  before    jsonb,
  after     jsonb
);
