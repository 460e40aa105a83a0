-- One row per log format and layout of unread lines: those with a measurement that the format does not know.
-- $format = '*', a glob of log.format
-- Example: bench query unread
with layout as (
    select
        format,
        log_id,
        unread.lines,
        unread.line,
        text,
        regexp_replace(text, '[-+]?[0-9]+([.,:/_-]?[0-9]+)*([eE][-+]?[0-9]+)?', '0', 'g') as masked
    from kept.unread
    join log using (log_id)
    where format glob $format
)
select
    format,
    sum(layout.lines)::bigint as lines,
    count(distinct log_id) as logs,
    -- Of all lines of the format's logs.
    100 * sum(layout.lines) / (select sum(of.lines) from log as of where of.format = layout.format) as percent,
    min(place.path || ':' || line) as one_of_them,
    min({'at': place.path || ':' || line, 'text': text}).text as text
from layout
join place_of_log('*') as place using (log_id)
group by format, masked
order by lines desc, format, text;
