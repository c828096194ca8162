-- Lists of posts are ordered by when a post goes out. Its deliveries carry that time, so that one index gives a page of a list,
-- in order, without looking at the rest. null: the post was deleted and is on no list.
alter table deliveries add column goes_out_at timestamptz;
update deliveries d set goes_out_at = coalesce(p.publish_at, date_trunc('milliseconds', p.created_at))
  from posts p where p.post_id = d.post_id and p.deleted_at is null;

drop index deliveries_of_user;
create index deliveries_of_user on deliveries (user_id, state, goes_out_at, post_id);
drop index deliveries_of_account;
create index deliveries_of_account on deliveries (account_id, state, goes_out_at, post_id);

-- A brand's posts are found through its accounts, the unlinked ones among them.
drop index accounts_of_brand;
create index accounts_of_brand on accounts (brand_id);
