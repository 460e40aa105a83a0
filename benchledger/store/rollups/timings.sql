-- What the times that no log prints are: of the whole run's training.

insert into listed by name
with own as (
    select
        run_id,
        reading_key,
        count(*) as records,
        count(*) filter (is_usable) as usable,
        min(coalesce(rank, -1)) as lowest_rank,
        min(coalesce(rank, -1)) = max(coalesce(rank, -1)) as has_one_rank
    from made_reading
    group by run_id, reading_key
)
select
    own.*,
    if(quantity = 'span', 'summary', 'step') as kind,
    'train' as phase,
    timing.quantity,
    's' as unit,
    timing.name,
    'global' as scope
from own
join timing using (reading_key);
