-- Each campaign and case too in which a run of temp table due_run was.

insert into due_pair
select campaign, case_id
from series_member
semi join due_run using (run_id)
except
from due_pair;
