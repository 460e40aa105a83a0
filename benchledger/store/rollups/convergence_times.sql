-- Where records say how long their step took.
select shape_id, min(ordinal) - 1 as at
from shape
where quantity = 'step_time' and unit = 's' and kind = 'step'
group by shape_id
