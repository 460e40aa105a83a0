-- Speed -------------------------------------------------------------------------------------------------------

-- The two ways to say how fast a step was: so much a second, or so many seconds. Each is the other's reciprocal.
create macro per_second(value, steps, quantity) as
    case when quantity = 'throughput' then value else steps / value end;

-- MLPerf's mean: without the `fewest` lowest and as many highest, of which those that gave no number are some already.
create macro olympic_mean(numbers, fewest, without) as
    case
        when without <= fewest
            then list_avg(list_slice(list_sort(numbers), fewest + 1, len(numbers) - (fewest - without)))
    end;

-- Kept, as series_member and those behind it: what a run's records say under each rule, read once.

create table kept.run_format (
    run_id bigint not null,
    format varchar
);

-- A format's default rule, and what stands in for it where it gives no number.
create view kept.default_rule as
with recursive chain(format, rule, place) as (
    select format, default_rule, 1
    from kept.format
    where default_rule is not null
    union
    select chain.format, rule.fallback, chain.place + 1
    from chain
    join kept.rule using (rule)
    where rule.fallback is not null and chain.place < 10
)
select format, rule, min(place) as place
from chain
group by format, rule;

create table kept.speed (
    run_id          bigint not null,
    rule            varchar not null,
    phase           varchar,
    unit            varchar,
    value           double,
    records_used    bigint not null,
    records_skipped bigint not null,
    status          varchar not null,
    reason          varchar,
    is_window_whole boolean
);

-- Runs that say nothing of their format's default rule. Each is still a row of it: a failed run is a status, never nothing.
create table kept.silent_run (
    run_id bigint not null,
    rule   varchar not null
);

-- Where a later rule of the format's chain is the first that gives a number.
create table kept.run_fallback (
    run_id bigint not null,
    phase  varchar,
    rule   varchar not null
);

-- Speeds made of steps that the closing throughput of the same log contradicts: they are no speeds of the run.
create table kept.contradicted_speed (
    run_id bigint not null,
    rule   varchar not null,
    phase  varchar,
    unit   varchar not null,
    reason varchar not null
);

create view run_speed as
with answered as (
    select
        speed.* exclude (value, status, reason),
        if(contradicted_speed.run_id is null, speed.value, null) as value,
        if(contradicted_speed.run_id is null, speed.status, 'mixed') as status,
        coalesce(contradicted_speed.reason, speed.reason) as reason
    from kept.speed
    left join kept.contradicted_speed
        on contradicted_speed.run_id = speed.run_id
        and contradicted_speed.rule = speed.rule
        and contradicted_speed.phase is not distinct from speed.phase
        and contradicted_speed.unit = speed.unit
    union all by name
    select
        run_id,
        rule,
        'train' as phase,
        0 as records_used,
        0 as records_skipped,
        'too_few_records' as status,
        'its records have nothing that ' || rule || ' reads' as reason,
        false as is_window_whole
    from kept.silent_run
),
-- What is the same under all rules, once for each run.
asked as (
    select
        run.run_id,
        run.case_id,
        format.default_rule,
        if(run.status in ('ok', 'unknown'), null, run.status) as status,
        run.reason,
        -- A run that was cut off after all that the rule asks for counts, unless its manifest says that it failed.
        run.status = 'truncated' and coalesce(run.exit_code, 0) = 0 as may_count
    from run
    join kept.run_format using (run_id)
    left join kept.format using (format)
)
select
    answered.run_id,
    asked.case_id,
    answered.rule,
    -- If none of the chain gives a number, the first of it.
    coalesce(answered.rule = coalesce(run_fallback.rule, asked.default_rule), false) as is_default,
    answered.phase,
    answered.value,
    answered.unit,
    answered.records_used,
    answered.records_skipped,
    coalesce(asked.status, answered.status) as status,
    case when asked.status is null then answered.reason else asked.reason end as reason,
    answered.phase = 'train'
    and answered.status = 'ok'
    and (asked.status is null or (asked.may_count and coalesce(answered.is_window_whole, false))) as is_trial
from answered
join asked using (run_id)
left join kept.run_fallback
    on run_fallback.run_id = answered.run_id and run_fallback.phase is not distinct from answered.phase;

create table kept.cell (
    series_id       bigint not null,
    rule            varchar not null,
    is_default      boolean not null,
    value           double,
    unit            varchar,
    trials          bigint not null,
    trials_dropped  bigint not null,
    lowest          double,
    highest         double,
    stdev           double,
    conflicts       bigint not null,
    status          varchar,
    trial_runs      bigint[],
    cell            varchar not null
);

-- What the kept tables were filled by: if it is not what it was, they are filled again.
create table kept.run_hash (
    run_id bigint not null,
    print  ubigint not null
);

create table kept.definition_hash (
    kind  varchar not null check (kind in ('rule', 'format')),
    name  varchar not null,
    print ubigint not null
);

-- What tables kept.rule and published were made of: if it is what it was, nothing is read or compared.
create table kept.synced_definitions (
    files varchar not null
);

create view speed_table as
select
    series.series_id,
    series.campaign,
    series.case_id,
    bench_case.name,
    bench_case.framework,
    bench_case.implementation,
    bench_case.model,
    bench_case.task,
    bench_case.precision,
    bench_case.batch_size_per_gpu,
    bench_case.global_batch_size,
    bench_case.nodes,
    bench_case.gpus,
    bench_case.seq_len,
    bench_case.gradient_accumulation,
    bench_case.options,
    series.gpu_model,
    cell.rule,
    cell.is_default,
    cell.value,
    cell.unit,
    cell.trials,
    cell.trials_dropped,
    cell.lowest,
    cell.highest,
    cell.stdev,
    cell.conflicts,
    cell.status,
    series.gpu_memory_mib,
    series.framework_version,
    series.implementation_version,
    series.mixed,
    cell.trial_runs,
    cell.cell
from kept.cell
join series using (series_id)
join bench_case using (case_id);

-- What a number is made of -------------------------------------------------------------------------------------

create view kept.trial_table as
with seen as (
    select
        run_source.run_id,
        sighting.campaign,
        -- Appended to, a log is one run's in two parts: the first is shown.
        min({
            'place': place_of(path, archive, member),
            'first_line': run_source.first_line,
            'last_line': run_source.last_line
        }) as place
    from kept.run_source
    join sighting using (log_id)
    where sighting.status in ('loaded', 'duplicate')
    group by run_source.run_id, sighting.campaign
),
-- The same log can lie in two campaigns: a number leads to its own.
placed as (
    select run_campaign.run_id, run_campaign.campaign, coalesce(min(here.place), min(seen.place)) as seen
    from kept.run_campaign
    join seen on seen.run_id = run_campaign.run_id
    left join seen as here on here.run_id = run_campaign.run_id and here.campaign is not distinct from run_campaign.campaign
    group by run_campaign.run_id, run_campaign.campaign
)
select
    speed_table.cell,
    speed_table.series_id,
    speed_table.campaign,
    speed_table.name,
    speed_table.framework,
    speed_table.implementation,
    speed_table.model,
    speed_table.task,
    speed_table.precision,
    speed_table.batch_size_per_gpu,
    speed_table.nodes,
    speed_table.gpus,
    speed_table.gpu_model,
    speed_table.rule,
    speed_table.is_default,
    speed_table.value as series_value,
    series_run.trial,
    run.run_id,
    run.run_key,
    run_speed.value,
    speed_table.unit,
    run_speed.is_trial as counts,
    run_speed.records_used,
    run_speed.records_skipped,
    run_speed.status,
    run_speed.reason,
    placed.seen.place as place,
    placed.seen.first_line as first_line,
    placed.seen.last_line as last_line
from speed_table
join kept.series_run using (series_id)
join run_speed
    on run_speed.run_id = series_run.run_id and run_speed.rule = speed_table.rule and run_speed.phase = 'train'
join run on run.run_id = series_run.run_id
left join placed on placed.run_id = run.run_id and placed.campaign is not distinct from speed_table.campaign
where run_speed.unit is not distinct from speed_table.unit or run_speed.value is null
-- That it has no number in another unit is told of a run only where it says nothing in the cell's own.
qualify row_number() over (
    partition by speed_table.cell, run_speed.run_id
    order by run_speed.unit is distinct from speed_table.unit, run_speed.unit
) = 1;
