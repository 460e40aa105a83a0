-- Trials on several GPUs whose names differ only in the number of a node, worker, GPU or rank: perhaps one job.
-- severity: warning
with named as (
    select
        cell, run_id, gpus, started_at, lower(path) as path,
        unnest(regexp_extract_all(lower(path), '(?:node|worker|gpu|rank|host|process|proc)[_-]?\d+(?:[^a-z\d]|$)')) as word
    from (select cell, gpus, unnest(trial_runs) as run_id from speed_table where is_default and trials > 1 and gpus > 1)
    join run using (run_id)
    join (select distinct run_id, log_id from run_log where role = 'train') using (run_id)
    join place_of_log('*') using (log_id)
)
select
    max(run_id) as run_id, cell,
    format('{} trials, told apart by {}', count(*), string_agg(distinct trim(word, '/._-'), ' ' order by trim(word, '/._-'))) as about,
    count(*) as value
from named
group by cell, gpus, replace(path, word, '')
having count(distinct word) > 1 and max(regexp_extract(word, '\d+')::bigint) < gpus
    -- Processes of one job start at one time.
    and (max(started_at) - min(started_at) <= interval 1 minute) is not false;
