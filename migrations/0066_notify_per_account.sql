-- An account has one notification of each kind, whatever number of its posts wait for it.
alter table notifications drop constraint notifications_account_id_key;
create unique index notifications_of_account on notifications (account_id, kind);

-- When the user's last mail of notifications was handed over.
alter table users add column notified_by_mail_at timestamptz;
