-- One row per run with speeds in a mode that no format knows (in no table of training): the mode, and its line.
-- $campaign = '*', a glob of kept.run_campaign.campaign
-- Example: bench query unknown-modes
with unphased as (
    select run_id, max(value) as highest_value, any_value(unit) as unit
    from run_speed
    where phase is null and value is not null
    group by run_id
),
stated as (
    select run_id, arg_max(text, byte_offset) as mode, arg_max(log_id, byte_offset) as log_id, arg_max(line, byte_offset) as line
    from measurement
    where run_id in (select run_id from unphased) and kind = 'parameter' and lower(name) = 'mode' and text is not null
    group by run_id
)
select run.run_key, run_format.format, stated.mode, run.status, unphased.highest_value, unphased.unit, stated.log_id, stated.line
from unphased
join run using (run_id)
left join kept.run_format using (run_id)
left join stated using (run_id)
where run_id in (select run_id from kept.run_campaign where coalesce(campaign, '') glob $campaign)
order by run_format.format, stated.mode, run.run_key;
