-- Names only: a deleted user is "erased", as in the code.
alter table forgotten_users rename to erased_users;
alter table erased_users rename column forgotten_at to erased_at;
alter index forgotten_users_by_age rename to erased_users_by_age;
alter table erased_users rename constraint forgotten_users_pkey to erased_users_pkey;
