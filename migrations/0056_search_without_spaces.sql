-- Search also finds what stands inside a text of a script without spaces between words, symbols such as emoji, and words that end in
-- a final sigma or are written with ß.
create function search_folded(text text) returns text language sql immutable parallel safe as $$
  select replace(replace(
    regexp_replace(normalize(lower(text), NFKD), '[\u0300-\u036f]', '', 'g'), 'ς', 'σ'), 'ß', 'ss')
$$;
-- Words, symbols, and of each run of letters of a script without spaces the 8 letters at every `step`th place: with 1 any part of the
-- run is the beginning of one, with 8 they are the run itself.
create function search_parts(user_id bigint, text text, step int) returns text[] language sql immutable parallel safe as $$
  with folded as (
    select search_folded(text) as text,
      -- Thai, Lao, Tibetan, Myanmar, Khmer, Kana, Han.
      '[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+' as run,
      -- Arrows to dingbats, and emoji.
      '[\u00a9\u00ae\u2190-\u2bff\U0001f000-\U0001fbff]' as symbol
  ), parts as (
    select left(found[1], 60) as part
    from folded, regexp_matches(regexp_replace(folded.text, run, ' ', 'g'), '[[:alnum:]]+', 'g') as found
    union all
    select substr(found[1], place, 8)
    from folded, regexp_matches(folded.text, run, 'g') as found, generate_series(1, length(found[1]), step) as place
    union all
    select found[1] from folded, regexp_matches(folded.text, symbol, 'g') as found
  )
  select coalesce(array_agg(distinct user_id || ':' || part), '{}') from parts
$$;
create or replace function search_words(user_id bigint, text text) returns text[] language sql immutable parallel safe as $$
  select search_parts(user_id, text, 1)
$$;
create or replace function search_query(user_id bigint, text text) returns tsquery language sql immutable parallel safe as $$
  select coalesce(string_agg(quote_literal(word) || ':*', ' & '), '')::tsquery
  from unnest(search_parts(user_id, text, 8)) as word
$$;
-- Those whose words change.
update post_words w set words = array_to_tsvector(search_words(p.user_id, texts.text))
from posts p, lateral (select p.text || coalesce(
  (select ' ' || string_agg(distinct d.text, ' ') from deliveries d where d.post_id = p.post_id), '') as text) as texts
where p.post_id = w.post_id
  and texts.text ~ '[ßςΣ\u00a9\u00ae\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u2190-\u2bff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U0001f000-\U0003ffff]';
