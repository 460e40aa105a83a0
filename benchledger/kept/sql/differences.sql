-- In what the runs of a series differ beside the case: settings, and words in the names of folders and files. Settings that
-- make another case split the series.
-- reads: due_member, kept.run_source, log, kept.record, kept.shape, kept.setting_word, kept.demanded_runs, sighting, fact
-- makes: compared, run_setting, due_member, series_difference, run_difference

-- The runs of a submission are one series, whatever they differ in.
create or replace temp table compared as
select distinct run_id
from due_member
where series_id in (select series_id from due_member group by series_id having count(*) > 1)
    and run_id not in (
        select run_id from fact
        where name = 'benchmark' and used and value in (select benchmark from kept.demanded_runs)
    );

create or replace temp table run_setting as
with shown as (
    select shape_id, ordinal, lower(replace(name, '-', '_')) as name
    from kept.shape
    where kind = 'parameter'
        and not list_has_any(
            string_split(lower(replace(name, '-', '_')), '_'),
            (select list(word) from kept.setting_word where not is_case)
        )
),
stated as (
    select run_id, shown.name, coalesce(texts[ordinal], "values"[ordinal]::varchar) as value
    from kept.record
    -- This join comes first, since most records state no setting.
    join shown using (shape_id)
    join (
        select run_id, log_id, load_number, run_source.first_line, run_source.last_line
        from compared
        join kept.run_source using (run_id)
        join log using (log_id)
    ) as own
        on record.log_id = own.log_id and record.load_number = own.load_number
        and record.line between own.first_line and own.last_line
)
-- A program may print a setting for each process or phase. Paths, addresses and times of day change from trial to trial.
select run_id, name, array_to_string(list_sort(list(distinct value)), ' ') as value
from stated
where value is not null and not regexp_matches(value, '[/\\]|\d:\d|^[0-9a-f]{7,}$')
group by run_id, name;

with apart as (
    select series_id, run_id, string_agg(name || '=' || value, ', ' order by name) as settings
    from (
        select due_member.series_id, run_id, name, value
        from due_member
        join run_setting using (run_id)
        where name in (select word from kept.setting_word where is_case)
        window same_name as (partition by due_member.series_id, name)
        qualify min(value) over same_name <> max(value) over same_name
    )
    group by series_id, run_id
)
update due_member
set
    variant = concat_ws(', ', variant, settings),
    series_id = (md5_number_lower(json_array(apart.series_id, settings)::varchar) & 9223372036854775807)::bigint
from apart
where due_member.series_id = apart.series_id and due_member.run_id = apart.run_id;

insert into series_difference
with size as (
    select series_id, count(*) as runs
    from due_member
    semi join compared using (run_id)
    group by series_id
    having count(*) > 1
),
-- A log that lies at several places has the words that all of its places have.
place as (
    select due_member.series_id, due_member.run_id, size.runs, words, count(*) over same_run as places
    from due_member
    join size using (series_id)
    join kept.run_source using (run_id)
    join sighting on sighting.log_id = run_source.log_id and sighting.status in ('loaded', 'duplicate')
    window same_run as (partition by due_member.series_id, due_member.run_id)
),
named as (
    select series_id, run_id, word
    from (
        select series_id, run_id, runs, word
        from (select series_id, run_id, runs, places, unnest(words) as word from place)
        group by series_id, run_id, runs, places, word
        having count(*) = places
    )
    qualify count(*) over (partition by series_id, word) < runs
),
-- A word in a name does not count as a difference if a fact in use states it.
explained as (
    select distinct run_id, lower(regexp_replace(unnest([value, value_logged]), '[^[:alnum:]]', '', 'g')) as word
    from fact
    semi join named using (run_id)
    where used and value is not null
)
select series_id, run_id, 'names' as kind, word as name, word as value
from named
anti join explained using (run_id, word)
anti join explained as counted on counted.run_id = named.run_id and counted.word = regexp_extract(named.word, '[0-9]+')
union all
select series_id, run_id, 'settings', name, value
from due_member
join run_setting using (run_id)
window same_name as (partition by series_id, name)
qualify min(value) over same_name <> max(value) over same_name;

insert into run_difference
select series_id, run_id, string_agg(kind || name || '=' || value, ' ' order by kind, name) as text
from due_member
left join series_difference using (series_id, run_id)
semi join (from series_difference) as differing using (series_id)
group by series_id, run_id;
