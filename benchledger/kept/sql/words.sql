-- In which words of their names, folders and file, the runs of a series differ: what equals a fact in use says nothing new.
-- reads: due_member, kept.run_source, sighting, fact
-- makes: series_word, run_words

create or replace temp table series_word as
with several as (
    select series_id, count(distinct run_id) as runs
    from due_member
    group by series_id
    having count(distinct run_id) > 1
),
-- A log that lies at several places: the words of all of them.
place as (
    select due_member.series_id, due_member.run_id, runs, words, count(*) over same_run as places
    from due_member
    join several using (series_id)
    join kept.run_source using (run_id)
    join sighting on sighting.log_id = run_source.log_id and sighting.status in ('loaded', 'duplicate')
    window same_run as (partition by due_member.series_id, due_member.run_id)
),
named as (
    select series_id, run_id, runs, word
    from (select series_id, run_id, runs, places, unnest(words) as word from place)
    group by series_id, run_id, runs, places, word
    having count(*) = places
),
explained as (
    select distinct run_id, lower(regexp_replace(unnest([value, value_logged]), '[^[:alnum:]]', '', 'g')) as word
    from fact
    semi join named using (run_id)
    where used and value is not null
)
select series_id, run_id, word
from named
anti join explained using (run_id, word)
anti join explained as counted on counted.run_id = named.run_id and counted.word = regexp_extract(named.word, '[0-9]+')
qualify count(distinct run_id) over (partition by series_id, word) < runs;

create or replace temp table run_words as
select series_id, run_id, coalesce(string_agg(word, ' ' order by word), '') as words
from due_member
left join series_word using (series_id, run_id)
semi join (from series_word) as differing using (series_id)
group by series_id, run_id;
