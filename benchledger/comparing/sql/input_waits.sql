-- One row per run that prints how long a step waits for its data: the median wait, as the log prints it.
-- reads: measurement

select run_id, median(value) as value
from measurement
where kind = 'step' and phase = 'train' and run_id in (select unnest($runs))
    and regexp_matches(lower(name), '^(avg_|mean_|batch_)?(data|reader|input|load)_?(time|cost|wait)')
group by run_id
order by all;
