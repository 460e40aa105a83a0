-- One row per log format and reason why pieces of its logs are no records: rejects and ignored pieces.
-- $format = '*', a glob of log.format
-- $kind = '*', one of '*', 'reject', 'ignored'
-- Example: bench query reject-reasons -p kind=reject
with piece as (
    select
        'reject' as kind,
        format,
        -- The text behind a colon belongs to a single piece.
        split_part(reason, ':', 1) as reason,
        1 as pieces,
        log_id,
        reject.line,
        -- The first line is enough to recognise it.
        left(split_part(text, chr(10), 1), 100) as text
    from reject
    join log using (log_id)
    union all
    select 'ignored', format, reason, ignored_piece.pieces, log_id, null, null
    from kept.ignored_piece
    join log using (log_id)
)
select
    kind,
    format,
    reason,
    sum(pieces)::bigint as pieces,
    count(distinct log_id) as logs,
    min(place.path || coalesce(':' || line, '')) as one_of_them,
    min({'at': place.path || coalesce(':' || line, ''), 'text': text}).text as text
from piece
join place_of_log('*') as place using (log_id)
where coalesce(format, '') glob $format and ($kind = '*' or kind = $kind)
group by kind, format, reason
order by kind desc, pieces desc, format, reason;
