-- Finds lines of ranks that a log does not name: if most steps have several lines, all but the first line of each step.
-- A resumed run repeats steps too, but much later; few steps overflow and are printed again. Epochs of up to three
-- steps without a printed epoch repeat steps soon, but never in two lines in a row.
-- reads: claimed_record, kept.shape, again, micro_value
-- makes: unnamed_lane

-- The second line of a step gets lane -2, the third lane -3: negative, so that no rank is invented.
create or replace temp table unnamed_lane as
with step_line as (
    select
        run_id, place, shape_id, epoch, step,
        row_number() over (partition by run_id, shape_id order by place) as nth_line,
        row_number() over (partition by run_id, shape_id, epoch, step order by place) as nth
    from claimed_record
    where part is not null and rank is null and step is not null
        and shape_id in (select shape_id from kept.shape where kind = 'step' and phase = 'train')
        and run_id not in (select run_id from micro_value)
        and (run_id, place) not in (select (run_id, place) from again)
),
step_of_ranks as (
    select
        run_id, shape_id, epoch, step, count(*) as lines, max(nth_line) - min(nth_line) as apart
    from step_line
    group by all
)
select run_id, place, -nth as lane
from step_line
semi join (
    select run_id, shape_id
    from step_of_ranks
    group by all
    having median(lines) >= 2 and count(*) >= 2 and avg((apart < 2 * lines)::integer) >= 0.9
        and (count(*) > 3 or bool_or(lines > 1 and apart < lines))
) using (run_id, shape_id)
where nth > 1;
