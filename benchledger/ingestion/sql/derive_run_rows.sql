-- Inserts the runs of new_run into table run.
-- reads: new_run, run_case, run_environment, ending, fact, run_log
-- makes: run

insert into run by name
select
    n.run_id, n.run_key, c.case_id, e.environment_id, try_cast(t.value as bigint) as trial,
    coalesce(n.started_at, try_cast(b.value as timestamp)) as started_at,
    if(n.started_at is null, coalesce(try_cast(a.value as timestamp), n.ended_at), n.ended_at) as ended_at,
    case
        when n.started_at is not null then 'log' when coalesce(b.value, a.value) is not null then 'manifest'
    end as time_source,
    s.status, s.reason, s.status_log_id, s.status_line, s.steps_planned, s.steps_done, s.epochs_planned,
    s.epochs_done, s.exit_code
from new_run as n
join run_case as c using (run_id)
join run_environment as e using (run_id)
join ending as s using (run_id)
left join fact as t on t.run_id = n.run_id and t.name = 'trial' and t.used
left join fact as b on b.run_id = n.run_id and b.name = 'started_at' and b.used and b.source = 'manifest'
left join fact as a on a.run_id = n.run_id and a.name = 'ended_at' and a.used and a.source = 'manifest';

-- Not by a primary key: DuckDB then writes the newest 122,880 rows of a table again at each checkpoint.
select error('run ' || run_id || ' was derived twice: bench db check names the doubled rows, and the cure')
from (
    select run_id from run semi join new_run using (run_id) group by run_id having count(*) > 1
    union all
    select run_id from run_log semi join new_run using (run_id) group by run_id, log_id, segment having count(*) > 1
);
