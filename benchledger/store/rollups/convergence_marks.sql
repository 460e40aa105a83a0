-- Between which records of the runs in temp table chunk_run a rule measures the time.
select distinct
    run_id, split_part(name, ' to ', 1) as from_label, split_part(name, ' to ', 2) as to_label
from (select name, unnest(formats) as format from rule where quantity = 'span') as asked
join run_format using (format)
semi join chunk_run using (run_id)
