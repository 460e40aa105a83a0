-- Runs whose steps begin again: the log may hold another run, appended to it, so no speed is made of them.
-- reads: progress, behind
-- makes: fallen, restarted

-- A step that overflowed may be counted back: only what is more than one step ahead is well behind the first one.
create or replace temp table fallen as
select *
from (
    select
        run_id, log_id, lane, shape_id, first_epoch, first_reached,
        min(place) filter (
            epoch > first_epoch or (epoch = first_epoch and reached > first_reached + step_back)
        ) as ahead_place,
        max(place) filter (epoch < first_epoch or (epoch = first_epoch and reached <= first_reached)) as back_place
    from progress
    join behind using (run_id, log_id, lane, shape_id)
    group by run_id, log_id, lane, shape_id, first_epoch, first_reached
)
where back_place > ahead_place;

insert into restarted
select run_id, format('the steps begin again at line {}: a second run may begin there', arg_min(line, place))
from progress
join fallen using (run_id, log_id, lane, shape_id)
where place > ahead_place and (epoch < first_epoch or (epoch = first_epoch and reached <= first_reached))
group by run_id;
