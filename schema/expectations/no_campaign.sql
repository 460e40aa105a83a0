-- A run that belongs to no campaign: no report finds it by one.
-- severity: note
select run.run_id, 'no campaign' as about
from run
left join kept.run_campaign using (run_id)
group by run.run_id
having count(campaign) = 0;
