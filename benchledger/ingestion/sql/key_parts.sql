-- What the keys of a part of the arriving records are: verify_records.sql asks of all parts whether they hold.
insert into log_part by name
select
    r.log_id, min(r.byte_offset) as first_offset, max(r.byte_offset) as last_offset,
    count(*) as records, count(distinct r.byte_offset) as places,
    count(*) filter (r.shape_id not in (select shape_id from shape)) as unknown
from arriving_record as r
group by r.log_id;
