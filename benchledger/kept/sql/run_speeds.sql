-- Facts that view run_speed needs of the runs in due_run and that their kept speeds do not hold.
-- reads: kept.default_rule, kept.run_format, kept.format, kept.rule, due_run, kept.speed, kept.contradicted_speed
-- makes: chain, kept.contradicted_speed, kept.silent_run, kept.run_fallback

create or replace temp table chain as
from kept.default_rule;

-- The mean of a whole run is not twice the speed of its steps. Where a log says so, the logged steps are only some slow
-- ones, or each is of several batches, or of another batch than the stated one, or the time between them is not theirs.
insert into kept.contradicted_speed
with speed as (
    select speed.*, rule.kind
    from kept.speed
    join kept.rule using (rule)
    semi join due_run using (run_id)
    where speed.value is not null and speed.unit not in ('s', 'min') and rule.per is null
),
closing as (
    select run_id, phase, unit, min(value) as value
    from speed
    where kind = 'summary' and (run_id, rule) not in (select (run_id, rule) from kept.contradicted_speed)
    group by all
)
select
    speed.run_id,
    speed.rule,
    speed.phase,
    speed.unit,
    format('the closing throughput is {:.6g} {}, more than twice what these steps make', closing.value, speed.unit)
from speed
join closing
    on closing.run_id = speed.run_id
    and closing.phase is not distinct from speed.phase
    and closing.unit = speed.unit
where speed.kind = 'step' and 2 * speed.value < closing.value;

insert into kept.silent_run
select run_format.run_id, format.default_rule
from kept.run_format
join kept.format using (format)
semi join due_run using (run_id)
anti join (
    select run_id, rule
    from kept.speed
    where phase = 'train'
) as spoken on spoken.run_id = run_format.run_id and spoken.rule = format.default_rule
where format.default_rule is not null;

insert into kept.run_fallback
select speed.run_id, speed.phase, arg_min(speed.rule, chain.place)
from kept.speed
join kept.run_format using (run_id)
join chain using (format, rule)
semi join due_run using (run_id)
anti join kept.contradicted_speed
    on contradicted_speed.run_id = speed.run_id
    and contradicted_speed.rule = speed.rule
    and contradicted_speed.phase is not distinct from speed.phase
where speed.value is not null
group by speed.run_id, speed.phase
having min(chain.place) > 1;
