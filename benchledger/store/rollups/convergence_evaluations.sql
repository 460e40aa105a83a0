-- The evaluations that a chunk's runs are told by (convergence_chosen.py), each with its time.

insert into kept_evaluation by name
select
    * exclude (place, logged_at, clock_s),
    case unit when '%' then value / 100 when '1' then value end as fraction,
    quantity in ('accuracy', 'score') as higher_is_better,
    place & ((1::bigint << 44) - 1) as byte_offset
from told_evaluation;
