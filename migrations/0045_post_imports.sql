-- Files of posts that were imported: the same key with the same file is the same import.
create table post_imports (
  user_id          bigint not null references users on delete cascade,
  idempotency_key  text not null,
  file_hash        bytea not null,
  post_ids         bigint[] not null,
  imported_at      timestamptz not null,
  primary key (user_id, idempotency_key)
);
