-- The loss that each run is told by: the total where one is printed, else the one that is printed most often. Each rank prints the
-- loss of its own samples: one of them is followed.
with named as (
    select run_id, told, name, rank, sum(times)::bigint as losses
    from told_count
    join (select distinct told, name from told_shape where not is_metric) as loss using (told)
    group by run_id, told, name, rank
    qualify rank = min(rank) over (partition by run_id, told)
)
select run_id, told, name, rank, losses, loss_window(losses)::integer as window_losses
from named
qualify row_number() over (partition by run_id order by contains(lower(name), 'total') desc, losses desc, name) = 1
