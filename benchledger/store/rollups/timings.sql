-- The time from step to step, from round to round of all ranks, and between two records that a rule names.

insert into timed_reading by name
with clock as not materialized (
    select *
    from chunk_record
    where part is not null and shape_id in (select shape_id from shape where kind = 'step' and phase = 'train')
),
interval as (
    select
        run_id,
        part,
        log_id,
        byte_offset,
        coalesce(rank, -1) as rank,
        lag(step) over earlier as since,
        step,
        coalesce(
            (epoch_us(logged_at) - epoch_us(lag(logged_at) over earlier)) / 1e6, clock_s - lag(clock_s) over earlier
        ) as seconds
    from clock
    semi join timed_run using (run_id)
    window earlier as (partition by run_id, coalesce(rank, -1) order by part, log_id, byte_offset)
),
-- Where each rank prints a line, a round is one of each: of so many records as there are ranks the last, in the order of
-- the lines. Some scripts count these.
line as (
    select
        run_id,
        part,
        log_id,
        byte_offset,
        step,
        logged_at,
        clock_s,
        row_number() over (partition by run_id order by part, log_id, byte_offset) as nth,
        count(distinct coalesce(rank, -1)) over (partition by run_id) as ranks
    from clock
    semi join round_run using (run_id)
),
round as (
    select
        *,
        lag(step) over earlier as since,
        coalesce(
            (epoch_us(logged_at) - epoch_us(lag(logged_at) over earlier)) / 1e6, clock_s - lag(clock_s) over earlier
        ) as seconds
    from line
    where nth % ranks = 0
    window earlier as (partition by run_id order by nth)
),
-- The time between two records, which a rule names by their labels: from the first of the one to the last of the other.
asked_span as (
    select distinct
        name, split_part(name, ' to ', 1) as from_label, split_part(name, ' to ', 2) as to_label,
        unnest(coalesce(formats, [null])) as format
    from rule
    where quantity = 'span'
),
span_end as (
    select
        record.run_id,
        asked_span.name,
        record.label = asked_span.from_label as is_start,
        {
            'part': record.part, 'log_id': record.log_id, 'byte_offset': record.byte_offset,
            'logged_at': record.logged_at, 'clock_s': record.clock_s
        } as place
    from chunk_record as record
    semi join span_run using (run_id)
    join run_format using (run_id)
    join asked_span
        on coalesce(asked_span.format, run_format.format) = run_format.format
        and record.label in (asked_span.from_label, asked_span.to_label)
    where record.part is not null
),
span as (
    select
        *,
        coalesce((epoch_us(stop.logged_at) - epoch_us(start.logged_at)) / 1e6, stop.clock_s - start.clock_s) as seconds
    from (
        select run_id, name, min(place) filter (where is_start) as start, max(place) filter (where not is_start) as stop
        from span_end
        group by run_id, name
    )
),
every as (
    select
        run_id, 'interval' as quantity, null as name, part, log_id, byte_offset, rank, since, step,
        -- An iteration that overflowed repeats its step number; it was computed all the same.
        greatest(step - since, 1) as steps, seconds as value
    from interval
    where step >= since and seconds is not null
    union all
    select run_id, 'round', null, part, log_id, byte_offset, -1, since, step, greatest(step - since, 1), seconds
    from round
    where since is not null and step is not null and seconds is not null
    union all
    select run_id, 'span', name, stop.part, stop.log_id, stop.byte_offset, -1, null, null, 1, seconds
    from span
    where seconds is not null
)
select
    *, 0 as ordinal, value > 0 as is_usable,
    dense_rank() over (order by quantity, name) as reading_key
from every;

insert into listed by name
select
    listed.* exclude (reading_key),
    if(timed.quantity = 'span', 'summary', 'step') as kind,
    'train' as phase,
    's' as unit,
    timed.name,
    'global' as scope
from listed_of('timed_reading') as listed
join (select distinct reading_key, quantity, name from timed_reading) as timed using (reading_key);
