-- Groups of segments of which one may be a copy of another, before their records are read: those of one format with the
-- same beginning; and those of one output folder, where a program puts its log so far into each checkpoint-N.
-- reads: live_segment, log, active_sighting, sighting
-- makes: alike

-- The longest last; of two with the same records and lines, the one with shorter line ends.
create or replace temp table alike as
with console as (
    -- What Weights & Biases kept of a run's output is told by its place.
    select a.log_id
    from active_sighting as a
    join active_sighting as t on t.folder = a.folders[2]
    join live_segment as s on s.log_id = t.log_id and s.role = 'tracker'
    join log on log.log_id = s.log_id and log.format = 'wandb'
),
measured as (
    select s.*, log.format, log.load_number, log.lines, log.bytes
    from live_segment as s
    join log using (log_id)
    where s.role in ('train', 'duplicate_stream', 'telemetry', 'tracker') and s.log_id not in (from console)
),
hub as (
    -- Thousands of trials may start in one second: their first losses tell them apart, if each has at least two.
    select
        log_id, segment, false as by_place, false as is_checkpoint,
        hash(format, role, beginning, if(min(coalesce(len(losses), 0)) over alike > 1, losses[1], null)) as hub
    from measured
    where beginning is not null
    window alike as (partition by format, role, beginning)
    union all
    -- A program that writes a checkpoint-N each so many steps puts its log so far into it.
    select
        m.log_id, m.segment, true,
        bool_or(regexp_matches(sighting.folder_path, '(^|/)(checkpoint-[0-9]+|last-checkpoint)$')),
        hash(m.format, a.folder, a.stem, m.segment)
    from measured as m
    join active_sighting as a using (log_id)
    join sighting using (sighting_id)
    where m.role = 'duplicate_stream' and a.replaced_at is null
    group by all
)
select
    hub, by_place, is_checkpoint or not by_place as may_be_copy, log_id, segment, load_number, first_line, last_line,
    first_record_line, last_record_line,
    row_number() over (order by hub, records, m.lines, m.bytes desc, log_id desc, segment desc) as place
from hub
join measured as m using (log_id, segment)
qualify count(*) over (partition by hub) > 1 and (not by_place or bool_or(is_checkpoint) over (partition by hub));
