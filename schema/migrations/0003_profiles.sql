-- Profiles --------------------------------------------------------------------------------------------------------

-- A profile stands for itself: where no run claims its log, run_id is NULL, and log_id tells the profiles apart.
create view kept.profile_table as
with kernel as (
    select
        run_id,
        log_id,
        label,
        name,
        quantity,
        unit,
        list_sort(list({'byte_offset': byte_offset, 'ordinal': ordinal, 'value': value})) as records
    from main.measurement
    where kind = 'kernel' and value is not null
    group by run_id, log_id, label, name, quantity, unit
),
listed as (
    select * exclude (records), list_transform(records, lambda x: x.value) as readings
    from kernel
    anti join kept.excluded_run using (run_id)
)
select
    listed.run_id,
    run.case_id,
    listed.log_id,
    listed.label,
    listed.name,
    listed.quantity,
    list_avg(listed.readings) as value,
    listed.unit,
    len(listed.readings) as records,
    list_sum(listed.readings) as total,
    list_min(listed.readings) as lowest,
    list_max(listed.readings) as highest
from listed
left join main.run using (run_id);
comment on view kept.profile_table is
    'One row per profile log, kernel and value: the mean over its calls. A profile that no run claims has no '
    'run_id.';
comment on column kept.profile_table.run_id is
    'Id of the run (table run): a hash, independent of the order of loading. NULL where no run claims the log.';
comment on column kept.profile_table.label is 'Name of the kernel.';
comment on column kept.profile_table.name is 'Name of the value as the profiler spells it.';
comment on column kept.profile_table.quantity is
    'What is measured: a word of schema/vocabulary/quantities.toml; NULL if no field declares it.';
comment on column kept.profile_table.value is 'Mean over the calls.';
comment on column kept.profile_table.unit is
    'Unit of the value: samples/s, tokens/s, items/s, steps/s, s, MiB, %, W, C, MHz, TFLOP/s, 1; NULL if unknown.';
comment on column kept.profile_table.records is 'Number of calls.';
comment on column kept.profile_table.total is 'Sum over the calls.';
comment on column kept.profile_table.lowest is 'Lowest of the calls.';
comment on column kept.profile_table.highest is 'Highest of the calls.';

-- Kernels by the time that they took: of a timeline each launch is a record, a profiler's own table states the sum.
create view kept.kernel_table as
with launched as (
    select run_id, log_id, device, label, count(*) as calls, list_sum(list_sort(list(value))) as total_s
    from main.measurement
    where kind = 'kernel' and quantity = 'kernel_time' and unit = 's' and isfinite(value)
    group by run_id, log_id, device, label
),
summed as (
    select
        run_id,
        log_id,
        device,
        label,
        max(value) filter (where quantity = 'kernel_calls') as calls,
        max(value) filter (where quantity = 'kernel_time_total' and unit = 's') as total_s
    from main.measurement
    where kind = 'kernel'
    group by run_id, log_id, device, label, byte_offset
    -- nvprof lists what the host called under the same columns.
    having total_s is not null and not coalesce(bool_or(name = 'Type' and text <> 'GPU activities'), false)
),
stated as (
    select run_id, log_id, device, label, calls, total_s, true as each_launch
    from launched
    union all
    select run_id, log_id, device, label, sum(calls)::bigint, list_sum(list_sort(list(total_s))), false
    from summed
    group by run_id, log_id, device, label
)
select
    stated.run_id,
    run.case_id,
    stated.log_id,
    stated.device,
    stated.label,
    stated.calls,
    stated.total_s,
    stated.total_s / nullif(stated.calls, 0) as mean_s,
    case
        when stated.each_launch
            then 100 * stated.total_s
                / nullif(list_sum(list_sort(list(stated.total_s) over (partition by stated.run_id, stated.log_id, stated.device))), 0)
    end as share_percent
from stated
anti join kept.excluded_run using (run_id)
left join main.run using (run_id);
comment on view kept.kernel_table is
    'One row per profile log, device and kernel: calls and time. torch.profiler''s table lists operators beside the'
    ' kernels that they ran.';
comment on column kept.kernel_table.run_id is
    'Id of the run (table run): a hash, independent of the order of loading. NULL where no run claims the log.';
comment on column kept.kernel_table.device is 'Device, as its log names it; NULL if it does not.';
comment on column kept.kernel_table.label is 'Name of the kernel or operator.';
comment on column kept.kernel_table.calls is 'Number of launches.';
comment on column kept.kernel_table.total_s is 'Seconds of all launches together; overlapping ones count twice.';
comment on column kept.kernel_table.mean_s is 'Seconds of one launch in the mean.';
comment on column kept.kernel_table.share_percent is
    'Share of the time of all kernels of the device; NULL where the profiler states sums only, which may overlap.';

-- The mean of the values that are numbers, each with its weight, over a sorted list.
create macro weighted_mean(pairs) as
    list_sum(list_sort([pair.value * pair.weight for pair in pairs if isfinite(pair.value) and isfinite(pair.weight)]))
    / nullif(list_sum(list_sort([pair.weight for pair in pairs if isfinite(pair.value) and isfinite(pair.weight)])), 0);
comment on macro weighted_mean is
    'The mean of a list of {value, weight}, each value by its weight; values that are not finite are left out.';

-- How busy a device was while it was profiled. Kernels overlap: their time counts once, so what a kernel adds is what
-- reaches beyond the last end before it. Pipes: TBD's mean over kernels, weighted by their cycles. Its own script counts
-- up to the highest ID of the file and leaves that launch out (tbd-suite, Core-Utilization-Analyzer/main.py): tbd_value.
create view kept.utilization_table as
with kernel as (
    select run_id, log_id, device, clock_s as start_s, clock_s + value as end_s
    from main.measurement
    where kind = 'kernel' and quantity = 'kernel_time' and unit = 's' and isfinite(value) and isfinite(clock_s)
),
reached as (
    select
        *,
        max(end_s) over (
            partition by run_id, log_id, device order by start_s, end_s
            rows between unbounded preceding and 1 preceding
        ) as until_s
    from kernel
),
busy as (
    select
        run_id,
        log_id,
        device,
        count(*) as kernels,
        list_sum(list_sort(list(greatest(end_s - greatest(start_s, coalesce(until_s, start_s)), 0)))) as busy_s,
        max(end_s) - min(start_s) as own_s
    from reached
    group by run_id, log_id, device
),
profiled as (
    select run_id, log_id, max(value) as span_s
    from main.measurement
    where quantity = 'profiled_time' and unit = 's' and isfinite(value)
    group by run_id, log_id
),
launch as (
    select
        run_id,
        log_id,
        device,
        name,
        quantity,
        unit,
        value,
        step < max(step) over (partition by run_id, log_id) as tbd_counts,
        max(value) filter (where quantity = 'kernel_cycles')
            over (partition by run_id, log_id, device, step, label) as cycles
    from main.measurement
    where kind = 'kernel' and quantity in ('pipe_utilization', 'kernel_cycles')
),
pipe as (
    select
        run_id,
        log_id,
        device,
        name,
        count(*) filter (where isfinite(value) and isfinite(cycles)) as kernels,
        weighted_mean(list({'value': value, 'weight': cycles})) as value,
        weighted_mean(list({'value': value, 'weight': cycles}) filter (where tbd_counts)) as tbd_value
    from launch
    where quantity = 'pipe_utilization' and (unit = '%' or value is null)
    group by run_id, log_id, device, name
),
found as (
    select
        busy.run_id,
        busy.log_id,
        busy.device,
        'compute' as metric,
        100 * busy.busy_s / nullif(greatest(coalesce(profiled.span_s, busy.own_s), busy.own_s), 0) as value,
        null::double as tbd_value,
        busy.kernels,
        busy.busy_s,
        greatest(coalesce(profiled.span_s, busy.own_s), busy.own_s) as profiled_s,
        case
            when profiled.span_s >= busy.own_s then 'time with a kernel running over the profiled time'
            else 'time with a kernel running over the time from the first kernel to the last'
        end as method
    from busy
    left join profiled
        on busy.log_id = profiled.log_id and busy.run_id is not distinct from profiled.run_id
    union all
    select run_id, log_id, device, name, value, tbd_value, kernels, null, null, 'mean over kernels, weighted by their cycles'
    from pipe
)
select found.run_id, run.case_id, found.* exclude (run_id)
from found
anti join kept.excluded_run using (run_id)
left join main.run using (run_id);
comment on view kept.utilization_table is
    'One row per profile log, device and metric: how busy the device, or one of its pipes, was.';
comment on column kept.utilization_table.run_id is
    'Id of the run (table run): a hash, independent of the order of loading. NULL where no run claims the log.';
comment on column kept.utilization_table.device is 'Device, as its log names it; NULL if it does not.';
comment on column kept.utilization_table.metric is 'compute, or the name of a pipe''s metric as ncu spells it.';
comment on column kept.utilization_table.value is
    'Utilization in %; NULL where the metric does not exist on the device.';
comment on column kept.utilization_table.tbd_value is
    'The same as TBD''s own script computes it, which leaves out the launch with the highest ID; NULL for compute.';
comment on column kept.utilization_table.kernels is 'Number of launches that the value is made of.';
comment on column kept.utilization_table.busy_s is 'Seconds with at least one kernel running; NULL for pipes.';
comment on column kept.utilization_table.profiled_s is 'Seconds that were profiled; NULL for pipes.';
comment on column kept.utilization_table.method is 'How the value was computed.';

-- What is known of a profile. Of one that a run claims it is the run's case; else what its places and the profile
-- itself say, by order of trust. Where the most trusted disagree, nothing is said.
create view kept.profile_case as
with said as (
    select log_id, name, value, case source when 'correct' then 0 when 'manifest' then 2 when 'facts.toml' then 3 else 4 end as trust
    from kept.sighting_fact
    join main.sighting using (sighting_id)
    where sighting.status in ('loaded', 'duplicate') and value is not null
    union all
    select log_id, name, value, 1
    from kept.log_fact
    where value is not null and strength not in ('counted', 'quoted', 'related')
),
most_trusted as (
    select log_id, name, if(count(distinct value) = 1, min(value), null) as value
    from (select * from said qualify trust = min(trust) over (partition by log_id, name))
    group by log_id, name
),
stated as (
    select
        log_id,
        max(value) filter (where name = 'framework') as framework,
        max(value) filter (where name = 'implementation') as implementation,
        max(value) filter (where name = 'model') as model,
        max(value) filter (where name = 'task') as task,
        max(value) filter (where name = 'precision') as precision,
        max(try_cast(value as bigint)) filter (where name = 'batch_size_per_gpu') as batch_size_per_gpu,
        max(try_cast(value as bigint)) filter (where name = 'global_batch_size') as global_batch_size,
        max(try_cast(value as bigint)) filter (where name = 'nodes') as nodes,
        max(try_cast(value as bigint)) filter (where name = 'gpus') as gpus,
        max(try_cast(value as bigint)) filter (where name = 'seq_len') as seq_len,
        max(try_cast(value as bigint)) filter (where name = 'gradient_accumulation') as gradient_accumulation,
        max(value) filter (where name = 'system') as system,
        max(value) filter (where name = 'gpu_model') as gpu_model
    from most_trusted
    group by log_id
),
place as (
    select distinct log_id, campaign
    from main.sighting
    where status in ('loaded', 'duplicate')
),
profile as (
    select distinct run_log.run_id, log.log_id, format.framework, format.implementation
    from main.log
    join kept.format on format.format = log.format
    left join main.run_log using (log_id)
    where format.role = 'profile'
)
select distinct
    profile.run_id,
    profile.log_id,
    if(profile.run_id is null, place.campaign, run_campaign.campaign) as campaign,
    run.case_id,
    bench_case.name,
    if(profile.run_id is null, coalesce(stated.framework, profile.framework), bench_case.framework) as framework,
    if(profile.run_id is null, coalesce(stated.implementation, profile.implementation), bench_case.implementation)
        as implementation,
    if(profile.run_id is null, stated.model, bench_case.model) as model,
    if(profile.run_id is null, stated.task, bench_case.task) as task,
    if(profile.run_id is null, stated.precision, bench_case.precision) as precision,
    if(profile.run_id is null, stated.batch_size_per_gpu, bench_case.batch_size_per_gpu) as batch_size_per_gpu,
    if(profile.run_id is null, stated.global_batch_size, bench_case.global_batch_size) as global_batch_size,
    if(profile.run_id is null, stated.nodes, bench_case.nodes) as nodes,
    if(profile.run_id is null, stated.gpus, bench_case.gpus) as gpus,
    if(profile.run_id is null, stated.seq_len, bench_case.seq_len) as seq_len,
    if(profile.run_id is null, stated.gradient_accumulation, bench_case.gradient_accumulation) as gradient_accumulation,
    bench_case.options,
    if(profile.run_id is null, stated.system, environment.system) as system,
    if(profile.run_id is null, stated.gpu_model, environment.gpu_model) as gpu_model
from profile
join place on place.log_id = profile.log_id
left join stated on stated.log_id = profile.log_id
left join main.run using (run_id)
left join kept.run_campaign using (run_id)
left join main.bench_case using (case_id)
left join main.environment using (environment_id)
anti join kept.excluded_run on excluded_run.run_id = profile.run_id;
comment on view kept.profile_case is
    'One row per profile log, run that claims it and campaign in which it lies: what case it profiles, as its run, '
    'the log or its places say.';
comment on column kept.profile_case.run_id is
    'Id of the run (table run): a hash, independent of the order of loading. NULL where no run claims the log.';
comment on column kept.profile_case.campaign is 'Campaign of a place where the profile lies.';
comment on column kept.profile_case.case_id is 'Id of the case (table bench_case); NULL where no run claims the log.';
comment on column kept.profile_case.name is 'Name of the case; NULL where no run claims the log.';
comment on column kept.profile_case.framework is 'Framework: pytorch, paddlepaddle, tensorflow, mxnet, oneflow.';
comment on column kept.profile_case.implementation is 'Whose program it is.';
comment on column kept.profile_case.model is 'Model: bert_base, gpt2_345m, ...';
comment on column kept.profile_case.task is 'Task: pretraining, squad, ...';
comment on column kept.profile_case.batch_size_per_gpu is 'Samples per GPU and step.';
comment on column kept.profile_case.global_batch_size is 'Samples per step over all GPUs.';
comment on column kept.profile_case.nodes is 'Machines.';
comment on column kept.profile_case.gpus is 'GPUs over all nodes.';
comment on column kept.profile_case.seq_len is 'Sequence length.';
comment on column kept.profile_case.gradient_accumulation is 'Passes per step.';
comment on column kept.profile_case.options is 'Options that are part of the case; NULL where no run claims the log.';
comment on column kept.profile_case.gpu_model is 'GPU as NVIDIA names it, without its prefix: V100-SXM2-16GB.';
