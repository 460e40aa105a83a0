-- The speeds of the runs in temp table due_run, by what is known of how each run ended.

delete from run_speed where run_id in (select run_id from due_run);

insert into run_speed
with own as (
    select *
    from kept_speed
    semi join due_run using (run_id)
),
answered as (
    select *
    from own
    union all
    -- A run without any throughput is still a row of its default rule: a failed run is a status, never nothing.
    select
        run_format.run_id,
        format.default_rule,
        'train',
        null,
        null,
        0,
        0,
        'too_few_records',
        'its records have nothing that ' || format.default_rule || ' reads',
        false
    from run_format
    semi join due_run using (run_id)
    join format using (format)
    anti join (
        select run_id, rule
        from own
        where phase = 'train'
    ) as spoken on spoken.run_id = run_format.run_id and spoken.rule = format.default_rule
    where format.default_rule is not null
),
-- The first rule of the format's chain that gives a number.
speaking as (
    select answered.run_id, answered.phase, min(default_rule.place) as place
    from answered
    join run_format using (run_id)
    join default_rule on default_rule.format = run_format.format and default_rule.rule = answered.rule
    where answered.value is not null
    group by answered.run_id, answered.phase
)
select
    answered.run_id,
    run.case_id,
    answered.rule,
    -- If none of the chain gives a number, the first of it.
    coalesce(default_rule.place = coalesce(speaking.place, 1), false) as is_default,
    answered.phase,
    answered.value,
    answered.unit,
    answered.records_used,
    answered.records_skipped,
    case when run.status in ('ok', 'unknown') then answered.status else run.status end as status,
    case when run.status in ('ok', 'unknown') then answered.reason else run.reason end as reason,
    answered.phase = 'train'
    and answered.status = 'ok'
    and (
        run.status in ('ok', 'unknown')
        -- A run that was cut off after all that the rule asks for counts, unless its manifest says that it failed.
        or (run.status = 'truncated' and coalesce(answered.is_window_whole, false) and coalesce(run.exit_code, 0) = 0)
    ) as is_trial
from answered
join run using (run_id)
join run_format using (run_id)
left join default_rule on default_rule.format = run_format.format and default_rule.rule = answered.rule
left join speaking on speaking.run_id = answered.run_id and speaking.phase is not distinct from answered.phase;
