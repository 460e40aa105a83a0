-- Of a step one reading, the median over its ranks, where a rule counts so.
-- reads: judged_reading
-- makes: stream_reading

insert into stream_reading
select
    stream_id,
    -1 as lane,
    min(place) as place,
    step - 1 as since,
    step,
    1::double as steps,
    -- Each is a speed here, whatever was printed.
    median(if(is_speed, rounded_value, 1 / rounded_value)) as rate,
    1 as times
from judged_reading
where lanes = 'median' and dropped is null
group by stream_id, epoch, step, after_step, to_step
having step - 1 >= coalesce(after_step, step - 1) and step <= coalesce(to_step, step)
order by stream_id, place;
