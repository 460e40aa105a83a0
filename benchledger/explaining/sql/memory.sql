-- Each value of a kind of memory that the runs print, with its line, its device, the highest of this device, and its use.
-- reads: claimed_record, kept.shape

with printed as (
    select
        run_id, place + ordinal as place, log_id, line, byte_offset, ordinal, step, rank,
        -- A program that numbers its ranks and not its devices: one rank holds one device.
        -- A monitor that names no device prints all of them at one time, in the same order.
        coalesce(
            device, 'rank ' || rank,
            if(
                kind = 'sample' and logged_at is not null,
                'row ' || nullif(dense_rank() over (
                    partition by run_id, log_id, logged_at, device is null and rank is null order by place
                ), 1),
                null
            )
        ) as device,
        phase, name, quantity, unit, unit_logged, "values"[ordinal] as value,
        case
            when unit is distinct from 'MiB' then format('not read: its unit is {}', coalesce(unit, 'unknown'))
            when not isfinite("values"[ordinal]) then 'dropped: not finite'
            when quantity = 'memory_used' and kind not in ('sample', 'step')
                then format('not read: of a {} record, neither of telemetry nor of a step', kind)
        end as unread
    from claimed_record
    join (from kept.shape where quantity = 'memory_' || replace(getvariable('definition'), 'device', 'used')) as shape using (shape_id)
    where "values"[ordinal] is not null
),
compared as (
    select *, max(value) filter (unread is null) over (partition by run_id, device) as highest
    from printed
)
select
    * exclude (unread),
    case
        when unread is not null then unread
        when value < highest then 'dropped: lower than the highest of its device'
        when highest < max(highest) over (partition by run_id) then 'dropped: highest of a device that is not the fullest'
        else 'kept'
    end as "use",
    null::varchar as "rule", null::double as rate, null::bigint as from_line
from compared
order by list_position(getvariable('runs'), run_id), log_id, byte_offset, ordinal;
