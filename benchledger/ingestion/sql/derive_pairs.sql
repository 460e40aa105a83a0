-- Which logs are of one run.
-- reads: live_segment, active_sighting, listed_log, log
-- makes: placed, all_nearly, twin, fellow

create or replace temp table placed as
select distinct
    s.log_id, s.segment, s.role, log.format, a.folder, a.folders, a.stem, a.ingested_at, s.stream, s.losses,
    -- By which equal beginnings are found: two that are nearly equal have the same key or the next one.
    if(isfinite(s.losses[1]) and s.losses[1] <> 0, round(ln(abs(s.losses[1])) * 1000), 0) as first_loss,
    s.started_at is not null as is_timed, s.started_at, s.ended_at, s.beginning
from live_segment as s
join log using (log_id)
join active_sighting as a using (log_id)
where s.role in ('train', 'duplicate_stream') and exists (from live_segment where role = 'duplicate_stream');

create or replace temp macro all_nearly(losses, other) as
    len(list_filter(list_zip(losses, other), lambda x: nearly(x[1], x[2]))) = least(len(losses), len(other));

-- Programs put a stream into the folder of the log, or below it; some put the log into a folder below.
create or replace temp table twin as
with stream_place as (
    select
        log_id, segment, unnest(folders[1:4]) as folder, generate_subscripts(folders[1:4], 1) - 1 as far,
        false as is_below
    from placed
    where role = 'duplicate_stream'
    union
    select log_id, segment, folder, 1, true from placed where role = 'duplicate_stream'
),
train_place as (
    select log_id, segment, folder, false as is_below from placed where role = 'train'
    union
    select log_id, segment, folders[2], true from placed where role = 'train'
),
by_manifest as (
    select
        t.log_id as twin_id, t.segment as twin_segment, r.log_id, r.segment, 2 as strength, 0 as apart, 0 as common,
        0 as far
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
        abs(epoch_us(t.ingested_at) - epoch_us(r.ingested_at)) as apart, 0 as common, 0 as far
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
    select distinct log_id, segment, unnest(stream) as at_us, len(stream) as moments, losses from placed
),
fine_times as (
    select distinct log_id, segment, role, beginning, list_filter(stream, lambda x: x % 1000000 <> 0) as times
    from placed
    where is_timed and beginning % 1000000 <> 0
),
by_records as (
    select
        t.log_id as twin_id, t.segment as twin_segment, r.log_id, r.segment, 0 as strength, 0 as apart,
        count(distinct t.at_us) as common, min(far) as far
    from stream_place
    join moment as t using (log_id, segment)
    join train_place as p using (folder, is_below)
    join moment as r on r.log_id = p.log_id and r.segment = p.segment and r.at_us = t.at_us
    -- Runs at one time may print at the same seconds.
    where far = 0 or all_nearly(t.losses, r.losses) is not false
    group by all
    having count(distinct t.at_us) * 2 >= least(any_value(t.moments), any_value(r.moments))
),
-- In any folder: no two runs share four times with fractions of a second.
by_times as (
    select
        t.log_id as twin_id, t.segment as twin_segment, r.log_id, r.segment, 0 as strength, 0 as apart, common, 4 as far
    from fine_times as t
    join fine_times as r on r.beginning = t.beginning and r.role = 'train'
    cross join lateral (select len(list_intersect(t.times, r.times)) as common) as shared
    where t.role = 'duplicate_stream' and common >= 4
),
-- A log without times is recognised by its first losses, in order, to the four digits that such a log prints, in the
-- nearest folder that has them. Two logs that both fit are two trials of one seed: it is of neither. So are two streams.
train_losses as (
    select
        folder, is_below, losses, first_loss, is_timed, min((log_id, segment)) as first,
        max((log_id, segment)) as last
    from train_place
    join (select distinct log_id, segment, losses, first_loss, is_timed from placed) using (log_id, segment)
    where len(losses) >= 4
    group by all
),
stream_losses as (
    select
        log_id, segment, far, folder, is_below, losses, is_timed,
        unnest([first_loss - 1, first_loss, first_loss + 1]) as first_loss
    from stream_place
    join (select distinct log_id, segment, losses, first_loss, is_timed from placed) using (log_id, segment)
    where len(losses) >= 4
),
fitting as (
    select distinct t.log_id, t.segment, t.far, r.first, r.last, least(len(t.losses), len(r.losses)) as common
    from stream_losses as t
    join train_losses as r using (folder, is_below, first_loss)
    where not (t.is_timed and r.is_timed) and all_nearly(t.losses, r.losses)
    qualify far = min(far) over (partition by t.log_id, t.segment)
        and min(first) over (partition by t.log_id, t.segment) = max(last) over (partition by t.log_id, t.segment)
),
by_losses as (
    select
        f.log_id as twin_id, f.segment as twin_segment, first[1] as log_id, first[2] as segment, 0 as strength,
        0 as apart, common, far
    from fitting as f
    join (
        select log_id, segment, format, min((folder, stem)) as place from placed group by all
    ) as own using (log_id, segment)
    qualify min(place) over (partition by first, format) = max(place) over (partition by first, format)
)
select
    twin_id, twin_segment, log_id, segment,
    case strength
        when 2 then 'listed in one manifest' when 1 then 'same folder and stem'
        else case
            when far = 0 then 'same folder and records' when far < 4 then 'same records in a nearby folder'
            else 'same times, to fractions of a second'
        end
    end as paired_by
from (from by_manifest union all from by_stem union all from by_records union all from by_times union all from by_losses)
qualify row_number() over (
    partition by twin_id, twin_segment order by strength desc, apart, common desc, far, log_id, segment
) = 1;

-- Streams of two formats without a train log: the fuller one is the run's own.
insert into twin
with lone as (
    select
        folder, format, losses, first_loss, min((log_id, segment)) as first, max((log_id, segment)) as last
    from placed
    where role = 'duplicate_stream' and len(losses) >= 4
        and (log_id, segment) not in (select (twin_id, twin_segment) from twin)
    group by all
),
fitting as (
    select distinct
        t.format, t.first as twin, t.last as last_twin, r.format as other, r.first as main, r.last as last_main
    from (select *, unnest([first_loss - 1, first_loss, first_loss + 1]) as near from lone) as t
    join lone as r on r.folder = t.folder and r.first_loss = t.near and r.format <> t.format
    where all_nearly(t.losses, r.losses)
),
alone as (
    select twin, main
    from fitting
    qualify min(main) over (partition by twin, other) = max(last_main) over (partition by twin, other)
        and min(twin) over (partition by main, format) = max(last_twin) over (partition by main, format)
),
ordered as (
    select twin, main, (m.closing_speed is null, -m.records, main) as place
    from alone
    join live_segment as m on m.log_id = main[1] and m.segment = main[2]
    join live_segment as t on t.log_id = twin[1] and t.segment = twin[2]
    where (m.closing_speed is null, -m.records, main) < (t.closing_speed is null, -t.records, twin)
)
select twin[1], twin[2], arg_min(main, place)[1], arg_min(main, place)[2], 'same folder and records'
from ordered
where main not in (select twin from ordered)
group by twin;

-- Train logs, and streams without one, that one manifest lists are one run, where each holds one: the first by name is
-- the run's own.
create or replace temp table fellow as
with whole as (
    select l.listing, l.log_id, l.file, s.first_line, s.last_line
    from listed_log as l
    join live_segment as s using (log_id)
    where s.role = 'train'
        or s.role = 'duplicate_stream' and (s.log_id, s.segment) not in (select (twin_id, twin_segment) from twin)
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
