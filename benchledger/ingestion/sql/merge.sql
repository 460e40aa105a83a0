-- The base tables of another ledger, which views arriving_* show, join those of this one. A log that both have keeps its
-- rows, except where only the other one read it by the definitions of today (current_definition).
-- reads: arriving_log, log, current_definition, arriving_sighting, sighting, arriving_shape, arriving_root, arriving_format,
--   arriving_exclusion, arriving_accepted_change, kept.accepted_change
-- makes: shared_log, better_log, new_log, later_sighting, unlike_sighting, kept.shape, kept.root, kept.format,
--   kept.exclusion, kept.accepted_change

create or replace temp table shared_log as
select log_id from arriving_log semi join log using (log_id);

create or replace temp table better_log as
select log_id
from arriving_log
join log using (log_id)
where arriving_log.definitions_hash in (select definitions_hash from current_definition)
    and log.definitions_hash not in (select definitions_hash from current_definition);

create or replace temp table new_log as
select log_id from arriving_log anti join log using (log_id)
union all
select log_id from better_log;

-- A place that both ledgers have seen is as the later sighting says.
create or replace temp table later_sighting as
select there.sighting_id, there.log_id
from arriving_sighting as there
left join sighting as here using (sighting_id)
where here.sighting_id is null
    or (there.ingested_at, there.modified_at is not null, there.modified_at, there.status)
    > (here.ingested_at, here.modified_at is not null, here.modified_at, here.status);

insert into unlike_sighting
select there.sighting_id
from arriving_sighting as there
join sighting as here using (sighting_id)
where (there.status = 'superseded') <> (here.status = 'superseded');

insert into kept.shape
select * from arriving_shape
on conflict do nothing;

insert into kept.root
select * from arriving_root
on conflict do nothing;

insert into kept.format
select * from arriving_format
on conflict do nothing;

-- The later reason counts.
delete from kept.exclusion
using arriving_exclusion as there
where exclusion.run_key = there.run_key and there.excluded_at > exclusion.excluded_at;

insert into kept.exclusion
select * from arriving_exclusion
where run_key not in (select run_key from kept.exclusion);

insert into kept.accepted_change
select * from arriving_accepted_change as there
where not exists (
    select 1
    from kept.accepted_change as here
    where here.run_key = there.run_key and here.quantity is not distinct from there.quantity
);
