-- A run with fewer GPUs than monitored devices that hold 1 GiB: its memory may be that of another program.
-- severity: warning
select
    run_id,
    format('{} devices hold 1024 MiB or more; the run has {} GPUs', count(*), gpus) as about,
    count(*) as value,
    gpus as expected
from run_memory
join bench_case using (case_id)
where definition = 'device' and value_mib >= 1024
group by run_id, gpus
having count(*) > gpus;
