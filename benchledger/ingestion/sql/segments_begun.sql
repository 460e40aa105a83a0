-- What the records that arrive say comes together here, part by part: segment_parts.sql. A part of a log begins behind
-- the part before it.
create or replace temp table arriving_span as
select
    log_id, segment, closing, first_line,
    -- A line on which one run ends and the next begins belongs to the next.
    coalesce(lead(first_line) over (partition by log_id order by first_line, segment) - 1, last_line) as until_line
from arriving_segment;

create or replace temp table log_part (
    log_id bigint, first_offset bigint, last_offset bigint, records bigint, places bigint, unknown bigint
);

create or replace temp table segment_part (
    log_id bigint, segment integer, first_offset bigint, records bigint, step_records bigint, started_at timestamp,
    ended_at timestamp, moments timestamp[], devices varchar[], first_step bigint, last_step bigint, steps_done bigint,
    step_gap bigint, closing_line bigint, closing_speed double, final_loss_nan boolean, losses double[]
);
