-- The first and the last step that a window found, where the rule says between which steps it counts.
-- reads: piece, lane_window
-- makes: bounded_end

insert into bounded_end
select
    stream_id, slice,
    arg_min(since, (lane, place)) as first_since,
    arg_max(step, (lane, place)) as last_step
from (from piece where step is not null)
join lane_window using (stream_id, lane)
where place between from_place and to_place
group by stream_id, slice;
