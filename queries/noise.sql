-- One row per series: the interval of its median over trials, its GPUs' state while it trained, and what held it back.
-- $campaign = '*', a glob of kept.run_campaign.campaign
-- Example: bench query noise -p campaign='made*'
with trained as (
    -- From the first line of a step to the last: no start, no compilation.
    select run_id, min(logged_at) as began_at, max(logged_at) as ended_at
    from measurement
    where kind = 'step' and phase = 'train' and role <> 'telemetry'
    group by run_id
),
sampled as (
    select run_id, median(value) filter (quantity = 'gpu_utilization') as utilization_percent,
        median(value) filter (quantity = 'clock') as clock_mhz, median(value) filter (quantity = 'power') as power_w,
        max(value) filter (quantity = 'temperature') as temperature_c
    from measurement
    join trained using (run_id)
    where role = 'telemetry' and quantity in ('gpu_utilization', 'clock', 'power', 'temperature')
        and logged_at between began_at and ended_at
    group by run_id
),
watched as (
    select series_id, median(utilization_percent) as utilization_percent, median(clock_mhz) as clock_mhz,
        median(power_w) as power_w, max(temperature_c) as temperature_c
    from kept.series_run
    join run using (run_id)
    join sampled using (run_id)
    where run.status = 'ok'
    group by series_id
),
measured as (
    select speed_table.*, watched.* exclude (series_id),
        max(clock_mhz) over (partition by gpu_model) as highest_mhz
    from speed_table
    left join watched using (series_id)
    where is_default and value is not null
)
select
    campaign, framework, implementation, model, task, precision, batch_size_per_gpu as batch, seq_len, gpus, gpu_model,
    trials, round(value, 2) as value, round(lowest, 2) as lowest, round(highest, 2) as highest, unit,
    -- The median of all runs lies outside only if all trials lie on one side of it.
    if(trials > 1, round(100 * (1 - 0.5 ** (trials - 1)), 1), null) as certainty_percent,
    round(utilization_percent, 0) as utilization_percent, round(clock_mhz, 0) as clock_mhz,
    round(power_w, 0) as power_w, temperature_c,
    -- A GPU waits for the host where for more than 3 % of the time no kernel runs.
    case
        when utilization_percent < 97 then 'host'
        when clock_mhz < 0.97 * highest_mhz then 'power or heat'
        when utilization_percent is not null and clock_mhz is not null then 'kernels'
    end as bound_by,
    rule, series_id
from measured
where in_campaign(campaign, $campaign)
order by all;
