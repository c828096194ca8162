-- The words of each post's captions, so that one search reads no other post. A word begins with its owner's id: a search
-- finds the words of one user, however many others wrote the same.
create function search_words(user_id bigint, text text) returns text[] language sql immutable parallel safe as $$
  select coalesce(array_agg(distinct user_id || ':' || left(found[1], 60)), '{}')
  from regexp_matches(
    regexp_replace(normalize(lower(text), NFKD), '[\u0300-\u036f]', '', 'g'), '[[:alnum:]]+', 'g') as found
$$;
-- Each word is the beginning of one. Immutable: the planner knows how many posts to expect.
create function search_query(user_id bigint, text text) returns tsquery language sql immutable parallel safe as $$
  select coalesce(string_agg(quote_literal(word) || ':*', ' & '), '')::tsquery
  from unnest(search_words(user_id, text)) as word
$$;
create table post_words (
  post_id  bigint primary key references posts on delete cascade,
  words    tsvector not null
);
-- Without a list of pending entries, which every search would have to read.
create index post_words_search on post_words using gin (words) with (fastupdate = off);
insert into post_words (post_id, words)
  select p.post_id, array_to_tsvector(search_words(p.user_id, p.text || coalesce(
    (select ' ' || string_agg(distinct d.text, ' ') from deliveries d where d.post_id = p.post_id), '')))
  from posts p where p.deleted_at is null;
