-- A row for each reading that a rule could take, with what the rule made of it: dropped is NULL where it is used.
-- reads: asked_reading, asked, question, lane_window
-- makes: use

-- The readings and the windows are those that the kept numbers are made of.
create or replace temp view use as
with placed as (
    select
        asked_reading.*, asked.rule, asked.phase, asked.yields, question.*, from_place, to_place,
        -- Of a step of several ranks one reading, the median, stands where the first of them does.
        if(
            lanes = 'median',
            min(place) over (partition by stream_id, rule, phase, yields, dropped is null, epoch, step),
            place
        ) as here,
        dropped is null and coalesce(here between from_place and to_place, false) as is_inside
    from asked_reading
    join asked using (like_stream)
    join question using (question)
    left join lane_window using (stream_id, lane, question)
),
ordered as (
    select
        *,
        row_number() over (partition by stream_id, rule, phase, yields, is_inside order by rate, place) as nth,
        count(*) over (partition by stream_id, rule, phase, yields, is_inside) as inside,
        max(lane) filter (is_inside) over (partition by stream_id, rule, phase, yields) as last_lane
    from placed
)
select
    run_id, rule, phase, yields as unit, place, value, rate,
    case
        when dropped is not null then dropped
        when lanes = 'median' and not coalesce(
            step - 1 >= coalesce(after_step, step - 1) and step <= coalesce(to_step, step), false
        ) then 'outside the steps of the rule'
        when here < from_place or from_place is null then 'skipped at the beginning'
        when here > to_place or to_place is null then 'after the window'
        when statistic = 'last' and (here <> to_place or lane <> last_lane) then 'not the last'
        when positive_only and rate <= 0 then 'not above nought'
        when statistic = 'trimmed' and inside >= trim_from and (nth <= trim or nth > inside - trim)
            then 'lowest or highest'
    end as dropped
from ordered;
