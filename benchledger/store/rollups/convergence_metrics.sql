-- The metrics that tell each run: of those that are parts of an evaluation and then their sum, the sums. Its parts and its sum have
-- one name, but for the loss.
with counted as materialized (
    select run_id, told, name, quantity, kind, unit, rank, sum(times) as times
    from told_count
    join (select distinct told, name, quantity, kind, unit from told_shape where is_metric) as metric using (told)
    group by run_id, told, name, quantity, kind, unit, rank
    qualify rank = min(rank) over (partition by run_id, name)
        and (kind = 'summary' or not bool_or(kind = 'summary') over (
            partition by run_id, quantity, if(quantity = 'loss', '', name)
        ))
),
-- Accuracy before score before error rate before perplexity before loss, then the one that is printed most often.
main as (
    select
        run_id,
        arg_min(
            name, (list_position(['accuracy', 'score', 'error_rate', 'perplexity', 'loss'], quantity), -printed_times, name)
        ) as name
    from (select run_id, name, quantity, sum(times) as printed_times from counted group by all)
    group by run_id
)
select counted.run_id, told, counted.name, counted.name = main.name as is_main, quantity, kind, unit, rank as lane
from counted
join main using (run_id)
