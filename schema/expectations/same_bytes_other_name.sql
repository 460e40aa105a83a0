-- One content under several file names: it is the log of one of them, and not of the others.
-- severity: warning
with named as (
    select
        log_id,
        -- Without its folders and without the endings that packing adds.
        regexp_replace(split_part(coalesce(member, path), '/', -1), '\.(gz|bz2|xz|zst)$', '') as name
    from sighting
    where status in ('loaded', 'duplicate', 'unchanged')
)
select log_id, format('{} names: {}', count(distinct name), string_agg(distinct name, ', ' order by name)) as about
from named
group by log_id
having count(distinct name) > 1;
