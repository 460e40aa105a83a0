-- What the runs print of each reading, and the times that are made of them, as counted in `counted`.
insert into listed by name
select counted.*, said.kind, said.phase, said.quantity, said.unit, said.name, said.scope
from counted
join (
    select reading_key, kind, phase, quantity, unit, name, scope
    from printable
    union
    select reading_key, if(quantity = 'span', 'summary', 'step'), 'train', quantity, 's', name, 'global'
    from asked_timing
    union
    -- Made also where no rule asks for it by name.
    select -1, 'step', 'train', 'interval', 's', null, 'global'
) as said using (reading_key)
