-- What the hosted identity provider last said of the user's address; the embedded service keeps it in identity_users.
-- Notification mails only go to confirmed addresses. Users of a hosted provider count as confirmed until they come again.
alter table users add column email_confirmed boolean not null default false;
update users set email_confirmed = true
  where not exists (select from identity_users where identity_users.uid = users.uid);
