-- Lines that repeat the previous line of a step, in runs that print every line again: two logging handlers print them,
-- or ranks that the log does not name.
-- reads: claimed_record, kept.shape
-- makes: seconds_between, said, repeated, again

-- By the date where both have one, else by the clock.
create or replace temp macro seconds_between(logged_before, logged_at, clock_before, clock_s) as
    coalesce((epoch_us(logged_at) - epoch_us(logged_before)) / 1e6, clock_s - clock_before);

create or replace temp view said as
select
    run_id, place, coalesce(rank, -1) as lane, logged_at, clock_s,
    hash(run_id, shape_id, step, epoch, label, device, "values") as said
from claimed_record
where part is not null
    and (step is not null or epoch is not null)
    and shape_id in (select shape_id from kept.shape where kind in ('step', 'summary'));

-- A step that overflowed is computed again, which takes time. So dated lines are repeats only within a second.
create or replace temp table repeated as
select run_id, lane, place, before
from (
    select
        run_id, lane, place,
        if(lag(run_id) over w = run_id, lag(place) over w, null) as before,
        in_order(place, if(lag(run_id) over w = run_id, lag(place) over w, null), lag(said) over w) = said
            and coalesce(seconds_between(lag(logged_at) over w, logged_at, lag(clock_s) over w, clock_s) < 1, true) as is_again
    from said
    window w as (partition by run_id, lane order by place)
)
where is_again;

-- Two ranks may print the same numbers, and a median or mean needs both. So lines count as repeats only if the log prints
-- every line again; only the last line may be missing its repeat.
create or replace temp table again as
select run_id, place
from repeated
semi join (
    select run_id, lane
    from (
        select run_id, lane, count(*) as records from said where run_id in (select run_id from repeated) group by all
    )
    join (
        select one.run_id, one.lane, count(*) as repeats, count(*) filter (first.place is null) as printed_again
        from repeated as one
        left join repeated as first on first.run_id = one.run_id and first.place = one.before
        group by all
    ) using (run_id, lane)
    where records - repeats - printed_again <= least(1, printed_again - 1)
) using (run_id, lane);
