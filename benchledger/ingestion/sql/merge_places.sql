-- Older logs of a place whose newer log another ledger read: temp table followed. An older log is superseded if
-- is_settled (a ledger said so, or it is a manifest or sidecar, of which the last one counts) or if the newer log
-- begins with it.
-- reads: sighting, log, kept.format, seen_in, unlike_sighting
-- makes: followed

create or replace temp table followed as
with there as (
    select
        sighting_id, log_id, status,
        first_value(sighting_id) over last_read as last_id,
        first_value(log_id) over last_read as last_log_id
    from sighting
    where log_id is not null and status <> 'document'
    window last_read as (
        partition by place, folder, archive is null
        order by ingested_at desc, modified_at desc nulls last, sighting_id desc
    )
),
followed_by_other as (
    select log_id as old_id, last_log_id as new_id, sighting_id, last_id, sighting_id in (from unlike_sighting) as is_said
    from there
    where log_id <> last_log_id and status <> 'superseded'
),
seen_together as (
    select distinct followed_by_other.sighting_id
    from followed_by_other
    join seen_in as before using (sighting_id)
    join seen_in as after on after.sighting_id = followed_by_other.last_id and after.source = before.source
)
select
    old_id, new_id, sighting_id,
    is_said or coalesce(format.role in ('manifest', 'sidecar'), false) as is_settled,
    old.format is null as is_unread
from followed_by_other
join log as old on old.log_id = old_id
join log as new on new.log_id = new_id
left join kept.format as format on format.format = old.format
where is_said
    or (
        sighting_id not in (from seen_together)
        and (
            format.role in ('manifest', 'sidecar')
            or (old.bytes < new.bytes and (old.format is null or old.format = new.format))
        )
    );
