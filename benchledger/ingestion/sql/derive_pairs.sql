-- Which logs are of one run.
-- reads: live_segment, active_sighting, listed_log
-- makes: twin, fellow

create or replace temp table twin as
with placed as (
    select distinct
        s.log_id, s.segment, s.role, a.folder, a.stem, a.ingested_at, s.stream, s.losses,
        s.started_at is not null as is_timed, s.started_at, s.ended_at
    from live_segment as s
    join active_sighting as a using (log_id)
    where s.role in ('train', 'duplicate_stream') and exists (from live_segment where role = 'duplicate_stream')
),
by_manifest as (
    select t.log_id as twin_id, t.segment as twin_segment, r.log_id, r.segment, 2 as strength, 0 as apart, 0 as common
    from placed as t
    join listed_log as lt on lt.log_id = t.log_id
    join listed_log as lr on lr.listing = lt.listing
    join placed as r on r.log_id = lr.log_id and r.segment = t.segment and r.role = 'train'
    where t.role = 'duplicate_stream'
),
-- Where files were overwritten by those of the next run, contents that were read at one time belong together. Two logs
-- of one name are of two runs if they were not written at one time, by clocks that may be in two time zones.
by_stem as (
    select
        t.log_id as twin_id, t.segment as twin_segment, r.log_id, r.segment, 1 as strength,
        abs(epoch_us(t.ingested_at) - epoch_us(r.ingested_at)) as apart, 0 as common
    from placed as t
    join placed as r on r.folder = t.folder and r.stem = t.stem and r.segment = t.segment and r.role = 'train'
    where t.role = 'duplicate_stream' and coalesce(
        t.started_at <= r.ended_at + interval 1 minute and r.started_at <= t.ended_at + interval 1 minute
            or abs(epoch(t.started_at) - epoch(r.started_at)) <= 14 * 3600 + 60
            -- Time zones are whole quarters of an hour apart.
            and (abs(epoch(t.started_at) - epoch(r.started_at)) + 60) % 900 <= 120,
        true
    )
),
moment as (
    select log_id, segment, role, folder, unnest(stream) as at_us, len(stream) as moments from placed
),
by_records as (
    select
        t.log_id as twin_id, t.segment as twin_segment, r.log_id, r.segment, 0 as strength, 0 as apart, count(*) as common
    from moment as t
    join moment as r on r.folder = t.folder and r.at_us = t.at_us and r.role = 'train'
    where t.role = 'duplicate_stream'
    group by all
    having count(*) * 2 >= least(any_value(t.moments), any_value(r.moments))
),
-- A log without times is recognised by its first losses, in order, to the four digits that such a log prints. Two logs
-- that both fit are two trials of one seed: it is of neither.
by_losses as (
    select
        t.log_id as twin_id, t.segment as twin_segment, r.log_id, r.segment, 0 as strength, 0 as apart,
        len(list_filter(list_zip(t.losses, r.losses), lambda x: nearly(x[1], x[2]))) as common
    from placed as t
    join placed as r on r.folder = t.folder and r.role = 'train'
    where t.role = 'duplicate_stream' and not (t.is_timed and r.is_timed)
        and least(len(t.losses), len(r.losses)) >= 4
        and common = least(len(t.losses), len(r.losses))
    qualify count(*) over (partition by t.log_id, t.segment) = 1
)
select
    twin_id, twin_segment, log_id, segment,
    case strength
        when 2 then 'listed in one manifest' when 1 then 'same folder and stem' else 'same folder and records'
    end as paired_by
from (from by_manifest union all from by_stem union all from by_records union all from by_losses)
qualify row_number() over (
    partition by twin_id, twin_segment order by strength desc, apart, common desc, log_id, segment
) = 1;

-- Train logs that one manifest lists are one run, where each holds one: the first by name is the run's own.
create or replace temp table fellow as
with whole as (
    select l.listing, l.log_id, l.file, s.first_line, s.last_line
    from listed_log as l
    join live_segment as s using (log_id)
    where s.role = 'train'
    qualify max(s.segment) over (partition by l.listing) = 1
),
found as (
    select
        log_id, first(main order by main) as main, any_value(first_line) as first_line,
        any_value(last_line) as last_line
    from (select *, arg_min(log_id, (file, log_id)) over (partition by listing) as main from whole)
    where log_id <> main
    group by log_id
)
select * from found where main not in (select log_id from found);
