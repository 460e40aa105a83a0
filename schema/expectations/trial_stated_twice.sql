-- Two runs of one series that state the same trial number: the same trial twice, or the number of another case.
-- severity: note
select max(run_id) as run_id, format('{} runs state trial {}', count(*), stated_trial) as about
from kept.series_member
where stated_trial is not null
group by series_id, stated_trial
having count(*) > 1;
