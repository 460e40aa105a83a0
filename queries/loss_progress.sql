-- One row per run that prints losses: its seed, and its mean loss at a tenth, a quarter, half, 3/4 and the end of them.
-- $campaign = '*', a glob of kept.run_campaign.campaign
-- Example: bench query loss-progress -p campaign='made*'
with curve as (
    select run_id, nth, mean_loss, count(*) over (partition by run_id) as losses
    from kept.loss_curve
    where is_main and run_id in (select run_id from kept.run_campaign where in_campaign(campaign, $campaign))
),
progress as (
    select
        run_id, losses,
        max(mean_loss) filter (nth = ceil(0.1 * losses)) as at_10_percent,
        max(mean_loss) filter (nth = ceil(0.25 * losses)) as at_25_percent,
        max(mean_loss) filter (nth = ceil(0.5 * losses)) as at_50_percent,
        max(mean_loss) filter (nth = ceil(0.75 * losses)) as at_75_percent,
        max(mean_loss) filter (nth = losses) as at_end
    from curve
    group by run_id, losses
),
seeded as (
    select run_id, any_value(cast(value as bigint)) as seed
    from measurement
    where kind = 'parameter' and name = 'seed'
    group by run_id
    having count(distinct value) = 1
)
select
    run_campaign.campaign, bench_case.model, bench_case.precision, bench_case.batch_size_per_gpu as batch,
    bench_case.seq_len, bench_case.gpus, bench_case.framework, bench_case.options, seed, run.trial, run.status, losses,
    round(at_10_percent, 4) as at_10_percent, round(at_25_percent, 4) as at_25_percent,
    round(at_50_percent, 4) as at_50_percent, round(at_75_percent, 4) as at_75_percent,
    round(at_end, 4) as at_end, run.run_key
from progress
join run using (run_id)
join kept.run_campaign using (run_id)
left join bench_case using (case_id)
left join seeded using (run_id)
where in_campaign(run_campaign.campaign, $campaign)
order by all;
