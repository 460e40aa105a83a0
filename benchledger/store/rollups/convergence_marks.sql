-- Where the clocks of logs without a date go past midnight, and the records between which a rule measures the time.

insert into midnight
with clocked as (
    select
        run_id,
        log_id,
        byte_offset,
        lag(clock_s) over earlier as before_s,
        clock_s - lag(clock_s) over earlier as since_s
    from source_record
    semi join (select run_id, log_id from log_clock where is_long) as long_clock using (run_id, log_id)
    where clock_s is not null
    window earlier as (partition by run_id, log_id order by byte_offset)
)
-- A clock of the day that goes back by more than half a day went past midnight. One that also goes as far ahead is of two
-- programs about midnight, and one of more than a day is no clock of the day: they tell no time.
select
    run_id,
    bool_or(since_s < -43200 and before_s >= 86400)
    or bool_or(since_s < -43200) and bool_or(since_s > 43200) as is_untold,
    list({'log_id': log_id, 'byte_offset': byte_offset} order by log_id, byte_offset)
        filter (where since_s < -43200) as midnights
from clocked
group by run_id;

insert into marked
select
    record.run_id,
    min(record.logged_at) filter (where record.label = asked_mark.from_label) as started_at,
    max(record.logged_at) filter (where record.label = asked_mark.to_label) as ended_at,
    bool_or(record.label = asked_mark.from_label) and bool_or(record.label = asked_mark.to_label) as is_timed
from source_record as record
join asked_mark using (run_id)
where (record.logged_at is not null or record.clock_s is not null)
    and (record.label = asked_mark.from_label or record.label = asked_mark.to_label)
group by record.run_id;
