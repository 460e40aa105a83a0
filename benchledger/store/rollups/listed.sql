-- What the runs print of each reading, and the times that are made of them, as counted in `counted`.
insert into listed by name
select counted.*, said.kind, said.phase, said.quantity, said.unit, said.name, said.scope
from counted
join (
    select distinct reading_key, kind, phase, quantity, unit, name, scope
    from printable
    union all
    select
        reading_key, if(quantity = 'span', 'summary', 'step'), 'train', quantity, 's', name, 'global'
    from timing
) as said using (reading_key)
