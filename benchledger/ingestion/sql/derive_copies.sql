-- Which segments are copies of another one: earlier states of it, or the same once more. The records of a copy are the
-- first records of the other one. Those in its last line need not be: the line may be cut, or tell how far the run was.
-- reads: alike, kept.record, kept.shape, listed_log, active_sighting
-- makes: shorter, first_print, copy_of, live_segment, active_sighting, listed_log

-- How many first records a copy must share with the other log: all before its last line with a record. If all are in
-- one line, as in a JSON file without line ends: all but the last record.
create or replace temp table shorter as
select a.hub, a.place, count(*) - any_value(a.first_record_line = a.last_record_line)::integer as extent
from alike as a
join kept.record as r
    on r.log_id = a.log_id and r.load_number = a.load_number and r.line >= a.first_record_line
    and (r.line < a.last_record_line or a.first_record_line = a.last_record_line)
where a.may_be_copy
group by all;

-- What each of them holds up to the end of each shorter one, as a sum of hashes.
create or replace temp table first_print as
with nth_record as (
    select
        a.hub, a.place, row_number() over (partition by a.place order by r.byte_offset) as nth,
        -- Without line and rank: one of the two may have other lines between its records, or labels of ranks.
        hash(r.shape_id, r.step, r.epoch, r.device, r.label, r.logged_at, r.clock_s, r."values", r.texts) as content
    from alike as a
    join kept.record as r
        on r.log_id = a.log_id and r.load_number = a.load_number and r.line between a.first_line and a.last_line
),
summed as (
    select
        hub, place, nth as extent,
        sum(hash(nth, content)::hugeint) over (partition by place order by nth rows unbounded preceding) as print
    from nth_record
)
from summed semi join shorter using (hub, extent);

-- Two trials with one seed may print the same losses. That it is one run needs what no second run repeats: four times
-- with fractions of a second, eight speeds or durations of four digits, or 32 times in whole seconds.
insert into copy_of
with same as (
    select a.* exclude (place), w.log_id as whole_id, w.segment as whole_segment, w.place
    from (
        select hub, place, extent, max(place) over (partition by hub, extent, print) as whole_place from first_print
    ) as p
    semi join shorter as s on s.place = p.place and s.extent = p.extent
    join alike as a on a.place = p.place
    join alike as w on w.place = p.whole_place
    where p.whole_place > p.place
),
-- The first lines are enough, however long a log is.
seen as (
    select s.log_id, s.segment, r.logged_at, r.shape_id, r."values"
    from (
        select distinct log_id, segment, load_number, first_record_line, last_record_line from same where not by_place
    ) as s
    join kept.record as r
        on r.log_id = s.log_id and r.load_number = s.load_number and r.line >= s.first_record_line
        and r.line < least(greatest(s.last_record_line, s.first_record_line + 1), s.first_record_line + 4096)
),
times as (
    select
        log_id, segment, count(distinct logged_at) as times,
        count(distinct logged_at) filter (epoch_us(logged_at) % 1000000 <> 0) as fine_times
    from seen
    group by all
),
speeds as (
    select log_id, segment, max(speeds) as speeds
    from (
        select log_id, segment, name, count(distinct value) as speeds
        from (
            select s.log_id, s.segment, shape.name, s."values"[shape.ordinal] as value
            from seen as s
            join kept.shape using (shape_id)
            where shape.kind <> 'parameter' and (
                shape.unit = 's' or shape.quantity in ('throughput', 'step_time', 'epoch_time', 'train_time')
            )
        )
        where len(trim(replace(regexp_replace(format('{:.6g}', value), 'e.*', ''), '.', ''), '-0')) >= 4
        group by all
    )
    group by all
),
proved as (
    select log_id, segment
    from times
    left join speeds using (log_id, segment)
    where 8 * fine_times + (times - fine_times) + 4 * coalesce(speeds, 0) >= 32
),
found as (
    select
        log_id, segment, first_line, last_line,
        arg_max({'log_id': whole_id, 'segment': whole_segment, 'by_place': by_place}, (by_place, place)) as whole
    from same
    where by_place or (log_id, segment) in (from proved)
    group by all
)
select log_id, segment, first_line, last_line, whole.log_id, whole.segment, 'copy',
    if(whole.by_place, 'from a checkpoint in its output folder', 'same records, up to its end')
from found;

-- What is a copy of a copy is one of the whole.
update copy_of
set whole_id = last.whole_id, whole_segment = last.whole_segment
from (
    with recursive further as (
        select log_id, segment, whole_id, whole_segment, 1 as far from copy_of
        union
        select f.log_id, f.segment, c.whole_id, c.whole_segment, far + 1
        from further as f
        join copy_of as c on c.log_id = f.whole_id and c.segment = f.whole_segment
    )
    select log_id, segment, arg_max(whole_id, far) as whole_id, arg_max(whole_segment, far) as whole_segment
    from further
    group by all
) as last
where last.log_id = copy_of.log_id and last.segment = copy_of.segment;

delete from live_segment where (log_id, segment) in (select (log_id, segment) from copy_of);

-- The whole log counts as seen wherever a copy of it was seen: what lies there, or lists it, is of its run.
insert into active_sighting by name
select a.* replace (c.whole_id as log_id, true as of_copy)
from active_sighting as a
join (
    select distinct log_id, whole_id from copy_of where log_id <> whole_id and role = 'copy'
) as c using (log_id);

insert into listed_log by name
select l.* replace (c.whole_id as log_id)
from listed_log as l
join (
    select distinct log_id, whole_id from copy_of where role = 'copy'
) as c using (log_id)
where (l.listing, c.whole_id) not in (select (listing, log_id) from listed_log);
