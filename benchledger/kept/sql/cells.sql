-- The speeds of the series in due_member, over their trials.
-- reads: kept.series_run, due_member, conflict, run_speed, kept.run_format, chain, fact, kept.rule, kept.demanded_runs, run_difference
-- makes: kept.cell

insert into kept.cell
with member as (
    select *
    from kept.series_run
    semi join due_member using (series_id)
),
size as (
    select member.series_id, count(distinct member.run_id) as runs, count(conflict.run_id) as conflicts
    from member
    left join conflict using (run_id)
    group by member.series_id
),
spoken as (
    select
        member.series_id,
        member.trial,
        run_speed.run_id,
        run_format.format,
        run_speed.rule,
        chain.place,
        run_speed.value,
        run_speed.unit,
        run_speed.status,
        run_speed.is_trial
    from run_speed
    join member using (run_id)
    join kept.run_format using (run_id)
    left join chain on chain.format = run_format.format and chain.rule = run_speed.rule
    where run_speed.phase = 'train'
),
speaking as (
    select series_id, format, min(place) as place
    from spoken
    where is_trial and value is not null and place is not null
    group by series_id, format
),
trial as (
    select
        spoken.*,
        -- A series has one default: of its format's chain the first rule that gives it a number. Runs for which only
        -- a later one does are dropped there, visibly, rather than mixed in.
        coalesce(spoken.place = coalesce(speaking.place, 1), false) as is_default
    from spoken
    left join speaking using (series_id, format)
),
cell as (
    select
        series_id,
        rule,
        unit,
        bool_or(is_default) as is_default,
        list_sort(
            list({'trial': trial, 'run_id': run_id, 'value': value}) filter (where is_trial)
        ) as trials
    from trial
    where unit is not null or value is not null
    group by series_id, rule, unit
),
dropped as (
    select
        series_id,
        rule,
        bool_or(is_default) as is_default,
        -- The most frequent status, of several the first by name.
        case when min(status) = max(status) then min(status) else list_mode(list_sort(list(status))) end as status
    from trial
    where not is_trial
    group by series_id, rule
),
-- Runs whose settings or names differ, and whose values lie more than 5 % apart, are no trials of one case: they have no mean.
unlike as (
    select series_id, rule, unit
    from (
        select series_id, rule, unit, run_difference.text, avg(value) as value
        from trial
        join run_difference using (series_id, run_id)
        where is_trial and isfinite(value) and value > 0
        group by all
    )
    group by series_id, rule, unit
    having max(value) > 1.05 * min(value)
),
-- Factors that owners state for a result. A series whose runs have several factors has no number.
factor as (
    select
        member.series_id,
        rule.rule,
        count(*) as runs,
        case when count(distinct fact.value) = 1 then min(try_cast(fact.value as double)) end as times
    from fact
    join (from kept.rule where trial_factor is not null) as rule on rule.trial_factor = fact.name
    join member using (run_id)
    where fact.used
    group by member.series_id, rule.rule
),
-- Number of runs that a suite requires of a submission: fewer runs give no score.
demand as (
    select member.series_id, demanded_runs.rule, max(demanded_runs.runs) as runs
    from fact
    join member using (run_id)
    join kept.demanded_runs on demanded_runs.benchmark = fact.value
    where fact.name = 'benchmark' and fact.used
    group by member.series_id, demanded_runs.rule
),
counted as (
    select
        series_id,
        rule,
        cell.unit,
        coalesce(cell.is_default, dropped.is_default) as is_default,
        dropped.status,
        list_transform(coalesce(cell.trials, []), lambda x: x.value) as speeds,
        list_transform(coalesce(cell.trials, []), lambda x: x.run_id) as trial_runs
    from cell
    full join dropped using (series_id, rule)
),
-- Apart from what is made of it: a macro repeats what it is given, and each copy has to be planned.
summed as (
    select
        counted.*,
        size.runs,
        size.conflicts,
        factor.runs as factor_runs,
        factor.times,
        coalesce(size.runs < demand.runs, false) as is_short,
        unlike.series_id is not null as is_mixed,
        rule.trial_rounding,
        rule.trial_rounding_digits,
        case
            when rule.trial_statistic = 'median' then list_median(counted.speeds)
            when rule.trial_statistic = 'olympic'
                then olympic_mean(counted.speeds, rule.trial_drop, size.runs - len(counted.speeds))
            when rule.trial_count_offset > 0
                then list_sum(counted.speeds) / (len(counted.speeds) + rule.trial_count_offset)
            else list_avg(counted.speeds)
        end
        * case when factor.runs is null then 1 when factor.runs = size.runs then factor.times end as exact
    from counted
    join size using (series_id)
    join kept.rule using (rule)
    left join factor on factor.series_id = counted.series_id and factor.rule = counted.rule
    left join demand on demand.series_id = counted.series_id and demand.rule = counted.rule
    left join unlike
        on unlike.series_id = counted.series_id and unlike.rule = counted.rule
        and unlike.unit is not distinct from counted.unit
),
valued as (
    select *, if(is_short or is_mixed or not isfinite(exact), null, rounded(exact, trial_rounding, trial_rounding_digits)) as value
    from summed
)
select
    counted.series_id,
    counted.rule,
    counted.is_default,
    counted.value,
    counted.unit,
    len(counted.speeds) as trials,
    counted.runs - len(counted.speeds) as trials_dropped,
    list_min(counted.speeds) as lowest,
    list_max(counted.speeds) as highest,
    -- Speeds of hostile logs may lie so far apart that DuckDB refuses to say how far.
    case when len(counted.speeds) > 1 then try(list_stddev_samp(counted.speeds)) end as stdev,
    counted.conflicts,
    -- Of too few trials an owner's statistic may make no number.
    case
        when counted.is_short then 'too_few_runs'
        when len(counted.speeds) = 0 then counted.status
        when counted.is_mixed then 'mixed'
        when counted.factor_runs <> counted.runs or (counted.factor_runs > 0 and counted.times is null) then 'mixed'
        when not isfinite(counted.exact) then 'failed'
        when value is null then 'too_few_trials'
        else 'ok'
    end as status,
    counted.trial_runs,
    cell_key('s', [counted.series_id::varchar, counted.rule, counted.unit]) as cell
from valued as counted;
