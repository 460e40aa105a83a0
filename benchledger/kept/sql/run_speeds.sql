-- What view run_speed cannot tell of the runs in due_run from the speeds that are kept of them.
-- reads: default_rule, run_format, format, rule, due_run, kept_speed
-- makes: chain, contradicted_speed, silent_run, run_fallback

create or replace temp table chain as
from default_rule;

-- The mean of a whole run is not twice the speed of its steps. Where a log says so, the logged steps are only some slow
-- ones, or each is of several batches, or of another batch than the stated one, or the time between them is not theirs.
insert into contradicted_speed
with speed as (
    select kept_speed.*, rule.kind
    from kept_speed
    join rule using (rule)
    semi join due_run using (run_id)
    where kept_speed.value is not null and kept_speed.unit not in ('s', 'min') and rule.per is null
),
closing as (
    select run_id, phase, unit, min(value) as value
    from speed
    where kind = 'summary'
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

insert into silent_run
select run_format.run_id, format.default_rule
from run_format
join format using (format)
semi join due_run using (run_id)
anti join (
    select run_id, rule
    from kept_speed
    where phase = 'train'
) as spoken on spoken.run_id = run_format.run_id and spoken.rule = format.default_rule
where format.default_rule is not null;

insert into run_fallback
select kept_speed.run_id, kept_speed.phase, arg_min(kept_speed.rule, chain.place)
from kept_speed
join run_format using (run_id)
join chain using (format, rule)
semi join due_run using (run_id)
anti join contradicted_speed
    on contradicted_speed.run_id = kept_speed.run_id
    and contradicted_speed.rule = kept_speed.rule
    and contradicted_speed.phase is not distinct from kept_speed.phase
where kept_speed.value is not null
group by kept_speed.run_id, kept_speed.phase
having min(chain.place) > 1;
