-- Whether the records of a piece of one log stand in their order. A window without a partition reads past, it keeps nothing.
select coalesce(bool_and(byte_offset > before), true)
from (
    select byte_offset, lag(byte_offset) over () as before
    from $record
    where log_id = ? and line between ? and ?
)
