-- Each printed value of the runs in chosen that a rule could read, and where it stands.
-- reads: claimed_record, printed_as, chosen

select run_id, place + ordinal as place, log_id, line, byte_offset, shape_id, ordinal, step, rank::bigint as rank,
    "values"[ordinal] as value, list_position(getvariable('runs'), run_id) as nth_run
from claimed_record
join (select shape_id, ordinal from printed_as) using (shape_id)
semi join chosen using (run_id)
where part is not null and value is not null;
