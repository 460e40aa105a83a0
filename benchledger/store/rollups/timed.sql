-- Whose times that no log prints are made, and of which two records' labels: intervals where nothing else tells a step's
-- speed, or a rule asks for them.
select run_id, reading_key, split_part(name, ' to ', 1) as from_label, split_part(name, ' to ', 2) as to_label
from asked_timing
union
select run_id, -1, null, null
from chunk_run
where run_id not in (
    select run_id
    from listed
    where kind = 'step'
        and phase = 'train'
        and (quantity = 'step_time' or unit is null or unit in ('samples/s', 'tokens/s', 'steps/s'))
)
