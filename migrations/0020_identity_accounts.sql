-- Every user has an address, and signs in by password or mailed link: no anonymous users, accounts at other providers or
-- custom claims. A user without an address was never let into the product, so nothing else refers to one. Whoever signed in
-- through another provider keeps user and sessions, and sets a password by "Forgot password?".
drop table identity_federated;
drop table identity_used_credentials;
delete from identity_users where email is null;
alter table identity_users
  alter column email set not null,
  drop column custom_claims;
alter table identity_sessions drop column provider;

-- Mails are in English.
alter table identity_mail_requests drop column locale;
