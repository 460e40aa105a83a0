-- Temp table scope with all that is tied to what is in it, and to that in turn.
-- reads: scope, tie
-- makes: scope

create or replace temp table scope as
with recursive closed as (
    select log_id from scope
    union
    select other.log_id from closed join tie as own using (log_id) join tie as other using (hub)
)
from closed;
