-- Whose times that no log prints are made, and of which two records' labels: intervals where nothing else tells a step's
-- speed, or a rule asks for them.
create or replace temp table timed_run as
select run_id, -1 as reading_key
from chunk_run
where run_id in (select run_id from asked_timing where quantity = 'interval')
    or run_id not in (
        select run_id
        from listed
        where kind = 'step'
            and phase = 'train'
            and (quantity = 'step_time' or unit is null or unit in ('samples/s', 'tokens/s', 'steps/s'))
    )
union all
select run_id, -2
from asked_timing
where quantity = 'round'
union all
select distinct asked_timing.run_id, timing.reading_key
from asked_timing
join run_format using (run_id)
join (
    select distinct name, unnest(coalesce(formats, [null])) as format
    from rule
    where quantity = 'span'
) as own
    on coalesce(own.format, run_format.format) = run_format.format
join timing on timing.quantity = 'span' and timing.name = own.name
where asked_timing.quantity = 'span';
