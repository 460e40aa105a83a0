-- Each printed value of a shape, and the runs in chosen whose rule does not read it, with the reason.
-- reads: chosen, printed_as, kept.shape

select
    run_id, shape_id, ordinal, shape.phase, shape.unit, shape.name, shape.quantity, shape.unit_logged,
    case
        when shape.phase is distinct from chosen.phase then 'another phase, ' || coalesce(shape.phase, 'None')
        when shape.kind <> chosen.kind then format('of a {} record', shape.kind)
        when shape.quantity <> chosen.quantity then 'another quantity, ' || shape.quantity
        when shape.name is distinct from chosen.name then 'another name, ' || coalesce(shape.name, 'None')
        when shape.unit is distinct from chosen.unit then 'another unit, ' || coalesce(shape.unit, 'None')
        when shape.scope is distinct from chosen.scope then 'another scope, ' || coalesce(shape.scope, 'None')
    end as unread
from chosen
cross join kept.shape
semi join printed_as on printed_as.shape_id = shape.shape_id and printed_as.ordinal = shape.ordinal;
