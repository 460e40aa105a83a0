-- Copies of a log are no trials: here the records decide which of the runs that may be copies are.
-- reads: alike_log, kept.record
-- makes: due_member

with printed as (
    select
        alike.series_id, alike.run_id, alike.run_key,
        count(*) as records,
        bit_xor(hash(
            record.line, shape_id, step, epoch, rank, device, label, logged_at, clock_s, "values", texts, lead, note
        )) as print
    from kept.record
    join alike_log as alike
        on record.log_id = alike.log_id and record.load_number = alike.load_number
        and record.line between alike.first_line and alike.last_line
    group by alike.series_id, alike.run_id, alike.run_key
)
delete from due_member
where (series_id, run_id) in (
    select (series_id, run_id)
    from printed
    qualify row_number() over (partition by series_id, records, print order by run_key) > 1
);
