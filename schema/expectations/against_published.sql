-- A speed or speed-up that the owner of a log published, and that differs from ours by more than 0.5 %.
-- severity: warning
-- $tolerance = 0.005
with off as (
    select *, value as published_value
    from kept.published_table
    -- A number of another card is about another machine.
    where own_logs and abs(our_value / value - 1) > $tolerance and equal <> 'other card'
),
-- Another rule may be the one that the owner used.
other as (
    select
        off.our_cell,
        off.published_value,
        -- Of several that are equally near the first by name.
        min({'off': round(abs(other.value - off.published_value), 6), 'rule': other.rule}).rule as rule
    from off
    join speed_table as ours on ours.cell = off.our_cell
    join speed_table as other
        on other.series_id = ours.series_id
        and other.unit = ours.unit
        and abs(other.value / off.published_value - 1) <= $tolerance
    group by off.our_cell, off.published_value
)
select
    member.run_id,
    off.our_cell as cell,
    format(
        '{}@{}, {}, {}: {} {}, by {} {:.6g}{}', off.source, coalesce(off.revision, '?'), off.section, off.cell,
        off.quantity, off.printed, off.rule, off.our_value, coalesce('; ' || other.rule || ' gives it', '')
    ) as about,
    coalesce(off.note, format('{}@{}: {} by {}', off.source, coalesce(off.revision, '?'), off.quantity, off.rule)) as cause,
    off.our_value as value,
    off.published_value as expected
from off
join (select series_id, min(run_id) as run_id from kept.series_run group by series_id) as member using (series_id)
left join other on other.our_cell = off.our_cell and other.published_value = off.published_value;
