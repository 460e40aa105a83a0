-- A series whose runs differ in an environment fact, a setting or a name that no table splits by.
-- severity: note
select member.run_id, format('{}, campaign {}', mixed, coalesce(campaign, 'none')) as about
from series
join (select series_id, min(run_id) as run_id from kept.series_run group by series_id) as member using (series_id)
where mixed is not null;
