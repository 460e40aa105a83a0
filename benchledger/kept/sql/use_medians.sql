-- Where the median of a step of several ranks stands, and which readings a mean without the lowest and highest leaves out.
-- reads: judged_reading, lane_window, rule_question, question
-- makes: median_place, extreme

-- A median stands where the first reading of its step does.
insert into median_place
select stream_id, epoch, step, min(place) as place
from judged_reading
where lanes = 'median' and dropped is null
group by stream_id, epoch, step;

insert into extreme
select stream_id, question, place, if(nth <= trim, 'among the lowest', 'among the highest') as reason
from (
    select
        stream_id, question, place, trim, trim_from, count(*) over (partition by stream_id, question) as readings,
        row_number() over (partition by stream_id, question order by rate, place) as nth
    from judged_reading
    join lane_window using (stream_id, like_stream, lane)
    join (select distinct like_stream, question from rule_question) using (like_stream)
    join (from question where statistic = 'trimmed') using (question, slice, positive_only)
    where dropped is null and place between from_place and to_place and (rate > 0 or not positive_only)
)
where readings >= trim_from and (nth <= trim or nth > readings - trim);
