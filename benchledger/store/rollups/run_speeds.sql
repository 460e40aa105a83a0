-- What view run_speed cannot tell of the runs in temp table due_run from the speeds that are kept of them.

create or replace temp table chain as
from default_rule;

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
where kept_speed.value is not null
group by kept_speed.run_id, kept_speed.phase
having min(chain.place) > 1;
