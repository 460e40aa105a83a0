-- A speed or speed-up that the owner of a log published, and that differs from ours by more than 0.5 %.
-- severity: warning
-- $tolerance = 0.005
select
    member.run_id,
    our_cell as cell,
    format(
        '{}@{}, {}, {}: {} {}, by {} {:.6g}', source, coalesce(revision, '?'), section, published_table.cell, quantity,
        printed, rule, our_value
    ) as about,
    our_value as value,
    published_table.value as expected
from published_table
join (select series_id, min(run_id) as run_id from series_run group by series_id) as member using (series_id)
where own_logs and abs(our_value / published_table.value - 1) > $tolerance;
