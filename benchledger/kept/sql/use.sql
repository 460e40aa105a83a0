-- A row for each reading that a rule could take, with what the rule made of it: dropped is NULL where it is used.
-- reads: judged_reading, rule_question, question, lane_window
-- makes: median_place, extreme, use

-- The readings and the windows are those that the kept numbers are made of. Most rules have none of the first two.
create or replace temp table median_place (stream_id integer, epoch bigint, step bigint, place bigint);

create or replace temp table extreme (stream_id integer, question bigint, place bigint, reason varchar);

create or replace temp view use as
with placed as (
    select
        judged_reading.* exclude (lane), own_lane as lane, rule_question.rule, rule_question.phase, rule_question.yields, question.statistic,
        question.positive_only, from_place, to_place, coalesce(median_place.place, judged_reading.place) as here, extreme.reason,
        judged_reading.lane = last_lane as is_last_lane
    from judged_reading
    join rule_question using (like_stream)
    join question using (question)
    left join lane_window
        on lane_window.stream_id = judged_reading.stream_id
        and lane_window.lane = judged_reading.lane
        and lane_window.slice = question.slice
    left join median_place
        on median_place.stream_id = judged_reading.stream_id
        and median_place.epoch is not distinct from judged_reading.epoch
        and median_place.step = judged_reading.step
    left join extreme
        on extreme.stream_id = judged_reading.stream_id
        and extreme.question = question.question
        and extreme.place = judged_reading.place
)
select
    run_id, rule, phase, yields as unit, place, lane, epoch, since, step, value, steps, rate,
    case
        when dropped is not null then dropped
        when lanes = 'median' and not coalesce(
            step - 1 >= coalesce(after_step, step - 1) and step <= coalesce(to_step, step), false
        ) then 'outside the steps of the rule'
        when here < from_place or from_place is null then 'skipped at the beginning'
        when here > to_place or to_place is null then 'after the window'
        when statistic = 'last' and (here <> to_place or not is_last_lane) then 'not the last'
        when positive_only and rate <= 0 then 'not above nought'
        else reason
    end as dropped
from placed;
