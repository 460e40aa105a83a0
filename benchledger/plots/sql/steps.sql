-- One row per reading that the rule looks at, in the order of the log, with the reason why it is dropped.
-- Views `use` and `chosen` are temporary: benchledger.plots.steps makes them. bench explain prints their rows.
-- reads: chosen, use
select
    use.run_id::varchar as line, use.run_id, use.rule, chosen.yields as unit, place, lane, step,
    row_number() over (partition by lane order by place)::double as x,
    -- A time is one over the statistic.
    case
        when yields in ('s', 'min') and yields is distinct from base_unit
            then 1 / (use.rate * factor) / if(yields = 's', 1, 60)
        else use.rate * factor
    end as y,
    dropped
from use
join chosen on chosen.run_id = use.run_id and chosen.phase = use.phase and use.unit is not distinct from yields
