-- The time between two records, which a rule names by their labels: from the first of the one to the last of the other.

insert into made_reading by name
with asked_span as (
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
        {'place': record.place, 'logged_at': record.logged_at, 'clock_s': record.clock_s} as moment
    from chunk_record as record
    join run_format using (run_id)
    join asked_span
        on coalesce(asked_span.format, run_format.format) = run_format.format
        and record.label in (asked_span.from_label, asked_span.to_label)
    where record.part is not null and record.run_id in (select run_id from timed_run where quantity = 'span')
),
span as (
    select
        run_id,
        name,
        stop.place as place,
        coalesce((epoch_us(stop.logged_at) - epoch_us(start.logged_at)) / 1e6, stop.clock_s - start.clock_s) as seconds
    from (
        select run_id, name, min(moment) filter (where is_start) as start, max(moment) filter (where not is_start) as stop
        from span_end
        group by run_id, name
    )
)
select run_id, timing.reading_key, place, seconds as value, seconds > 0 as is_usable
from span
join timing using (name)
where seconds is not null;
