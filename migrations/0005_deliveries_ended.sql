-- What a user published last, and what was published or failed on which day, however much there is before it.
create index deliveries_ended on deliveries (user_id, state, ((data -> 'at')::bigint) desc)
  where state in ('published', 'failed');
