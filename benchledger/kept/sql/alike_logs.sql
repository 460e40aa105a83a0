-- Runs whose logs differ in line ends, or in blanks at the ends of lines, only are one trial: nothing in their records
-- differs. The one with the least key stands. Only runs with a speed: two that failed alike are two. Two trials may print
-- one summary alike: equal records prove a copy where they tell the time, or are ten. Logs of equal length are no copies:
-- equal bytes are one log. Runs of other speeds are told apart without their records.
-- reads: due_member, kept.run_source, log, kept.speed
-- makes: alike_log

create or replace temp table alike_log as
with speeds as (
    select run_id, bit_xor(hash(rule, value)) as speeds
    from kept.speed
    semi join due_member using (run_id)
    where value is not null
    group by run_id
),
source as (
    select
        series_id, run_id, run_key, started_at, speeds, log_id, load_number, bytes,
        first_line, last_line, lines, records, ignored
    from due_member
    join kept.run_source using (run_id)
    join log using (log_id)
    join speeds using (run_id)
    where started_at is not null or records >= 10
)
select *
from source
window same as (partition by series_id, started_at, speeds, first_line, last_line, lines, records, ignored)
qualify count(distinct run_id) over same > 1 and min(bytes) over same < max(bytes) over same;
