-- One row per run and text of its logs that is no measurement of a step: messages, rejects, unread and ignored lines.
-- Numbers are #, so that a line that counts is one text.
-- reads: measurement, run_log, kept.unread, reject, kept.ignored_piece

with log_text as (
    select run_id, text, 1 as lines
    from measurement
    where kind = 'event' and text is not null and run_id in (select unnest($runs))
    union all
    select run_id, text, lines
    from run_log
    join kept.unread using (log_id)
    where run_id in (select unnest($runs)) and role not in ('copy', 'rank')
    union all
    select run_id, text, 1
    from run_log
    join reject using (log_id)
    where run_id in (select unnest($runs)) and role not in ('copy', 'rank')
    union all
    select run_id, 'ignored: ' || reason, pieces
    from run_log
    join kept.ignored_piece using (log_id)
    where run_id in (select unnest($runs)) and role not in ('copy', 'rank')
)
select run_id, left(regexp_replace(text, '[0-9]+', '#', 'g'), 120) as text, sum(lines)::bigint as lines
from log_text
group by all
order by all;
