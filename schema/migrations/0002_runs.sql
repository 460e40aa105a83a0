-- Views answer. NULL equals NULL in every key and join; no number depends on the order in which rows were stored:
-- means are taken over lists that are sorted first, since a parallel sum of floats differs from run to run.

-- Roundings that the owners of rules use. numpy's round(x, n) is round_even(x * 10^n) / 10^n, which neither
-- round(x, n) nor round_even(x, n) of DuckDB reproduces. round_exact is C's and Python's '%.2f', significant their '%.5g'. round2_truncate is Python's int(round(x, 2)).
create macro rounded(value, method, digits) as
    case
        -- A double has no decimals there, and a hundred times as much may be none.
        when abs(value) >= 1e15 then value
        when method = 'round_even' then round_even(value * pow(10, digits), 0) / pow(10, digits)
        when method = 'round_exact' then format('{:.{}f}', value, digits)::double
        when method = 'significant' then format('{:.{}g}', value, digits)::double
        when method = 'truncate' then trunc(value * pow(10, digits)) / pow(10, digits)
        when method = 'round2_truncate' then trunc(round_even(value * 100, 0) / 100 * pow(10, digits)) / pow(10, digits)
        else value
    end;

-- Where a file lies, as people are told it: its path, or that of its archive and the names that lead to it from there.
create macro place_of(path, archive, member) as
    case
        when archive is null then path
        when member is null then archive
        else archive || '!/' || member
    end;

-- Whether a campaign is asked for: by its whole name, or by what stands behind the name of its root. A folder may be called
-- runs[1], which as a glob does not match itself.
create macro in_campaign(campaign, wanted) as
    coalesce(campaign, '') = wanted
    or coalesce(campaign, '') glob wanted
    or contains(campaign, '/') and (
        substr(campaign, strpos(campaign, '/') + 1) = wanted or substr(campaign, strpos(campaign, '/') + 1) glob wanted
    );

-- A short name of a number in a table: a letter for the table and ten digits of a hash of what the number is of, so that
-- it is the same in every ledger of one key: the name of a campaign may be a pseudonym. No hexadecimal digit is
-- s, m or u: no key of a run looks like it.
create macro cell_key(letter, parts) as
    letter || left(md5(to_json(parts)::varchar), 10);

-- Whether two numbers may be one, of which one of them was printed with four digits.
create macro nearly(value, other) as abs(value - other) <= 5e-4 * greatest(abs(value), abs(other));

-- One place of each log that stands in the ledger: the first that the glob matches, by its path or as people are told it;
-- NULL where none does.
create macro place_of_log(path_glob) as table
select
    log_id,
    min(place_of(path, archive, member))
        filter (path glob path_glob or place_of(path, archive, member) glob path_glob) as path,
    count(*) as sightings
from sighting
where status in ('loaded', 'duplicate')
group by log_id;

-- The ways in which a file can be named: by its path, and as people are told where it lies.
create view kept.file_place as
select sighting_id, log_id, path as place
from sighting
union
select sighting_id, log_id, place_of(path, archive, member)
from sighting;

-- Which logs and lines ----------------------------------------------------------------------------------------

-- The log that a run's numbers come from: its train log, its twin where there is no other, and its manifest where no
-- log of it is known.
create view kept.run_source as
select run_id, log_id, segment, role, first_line, last_line
from run_log
where role in ('train', 'duplicate_stream', 'manifest')
qualify role = 'train'
    or not bool_or(role = 'train') over (partition by run_id)
    and (role = 'duplicate_stream' or not bool_or(role = 'duplicate_stream') over (partition by run_id));

-- Three branches instead of one left join, because a telemetry log is claimed device by device:
-- an "or" in the condition of an outer join would compare every record with every claim.
create view kept.measurement_all as
with whole as (
    select run_id, log_id, log.load_number, role, first_line, last_line
    from run_log
    join log using (log_id)
    where role <> 'telemetry' or devices is null
),
by_device as (
    -- A telemetry record without a device counts for every claim, hence the NULL in the list.
    select distinct
        run_id, log_id, log.load_number, role, first_line, last_line, unnest(list_append(devices, null)) as device
    from run_log
    join log using (log_id)
    where role = 'telemetry' and devices is not null
),
claimed as (
    select whole.run_id, whole.role, record.*
    from kept.record
    join whole
        on record.log_id = whole.log_id
        and record.load_number = whole.load_number
        and record.line between whole.first_line and whole.last_line
    union all
    select by_device.run_id, by_device.role, record.*
    from kept.record
    join by_device
        on record.log_id = by_device.log_id
        and record.load_number = by_device.load_number
        and record.device is not distinct from by_device.device
        and record.line between by_device.first_line and by_device.last_line
    union all
    select null, null, record.*
    from kept.record
    anti join whole on record.log_id = whole.log_id and record.line between whole.first_line and whole.last_line
    anti join by_device
        on record.log_id = by_device.log_id
        and record.device is not distinct from by_device.device
        and record.line between by_device.first_line and by_device.last_line
)
select
    claimed.run_id,
    claimed.log_id,
    claimed.role,
    claimed.line,
    claimed.byte_offset,
    shape.kind,
    shape.phase,
    shape.ordinal,
    claimed.step,
    claimed.epoch,
    claimed.rank,
    claimed.device,
    claimed.label,
    claimed.logged_at,
    claimed.clock_s,
    shape.name,
    shape.quantity,
    claimed."values"[shape.ordinal] as value,
    claimed.texts[shape.ordinal] as text,
    shape.unit,
    shape.unit_logged,
    shape.scope
from claimed
join kept.shape using (shape_id);

create view measurement as
select measurement_all.*
from kept.measurement_all
where role is distinct from 'duplicate_stream'
    or run_id in (select run_id from kept.run_source where role = 'duplicate_stream')
    or (log_id, byte_offset) in (select (log_id, byte_offset) from kept.stream_only);

-- The records that a run's speed is computed from. part 0 is the source log, part 1 what only its twin has.
create view kept.run_record as
select run_source.run_id, 0 as part, record.* exclude (load_number)
from kept.record
join log on record.log_id = log.log_id and record.load_number = log.load_number
join kept.run_source
    on record.log_id = run_source.log_id and record.line between run_source.first_line and run_source.last_line
union all
select run_log.run_id, 1 as part, record.* exclude (load_number)
from kept.record
semi join kept.stream_only on record.log_id = stream_only.log_id and record.byte_offset = stream_only.byte_offset
join log on record.log_id = log.log_id and record.load_number = log.load_number
join run_log
    on record.log_id = run_log.log_id and record.line between run_log.first_line and run_log.last_line
semi join kept.run_source on run_log.run_id = run_source.run_id and run_source.role = 'train'
where run_log.role = 'duplicate_stream';

-- Campaigns and series ----------------------------------------------------------------------------------------

-- Of a run whose manifests name campaigns, these count; --campaign-name beats them.
create view kept.run_campaign as
with named as (
    select distinct run_id, value as campaign
    from fact
    where name = 'campaign' and source = 'manifest'
)
select distinct
    run_source.run_id,
    case when sighting.campaign_source = 'option' then sighting.campaign else coalesce(named.campaign, sighting.campaign) end
        as campaign
from kept.run_source
join sighting using (log_id)
left join named using (run_id)
where sighting.status in ('loaded', 'duplicate');

-- When a run was: as its log or its manifest says, else the earliest time of a file or an archive's member that holds
-- its log. Nothing else in the ledger depends on a file's time.
create view kept.run_time as
with seen as (
    select run_source.run_id, min(sighting.modified_at) as modified_at,
        arg_min(if(sighting.archive is null, 'file', 'member'), (sighting.modified_at, sighting.archive is null)) as time_source
    from kept.run_source
    join sighting using (log_id)
    where sighting.status in ('loaded', 'duplicate') and sighting.modified_at is not null
    group by run_source.run_id
)
select
    run.run_id,
    if(run.time_source is null, seen.modified_at, run.started_at) as started_at,
    run.ended_at,
    coalesce(run.time_source, seen.time_source) as time_source
from run
left join seen using (run_id);

-- An exclusion hangs on any key that the run ever had.
create view kept.excluded_run as
with recursive excluded(run_key, reason, excluded_at, excluded_by) as (
    select run_key, reason, excluded_at, excluded_by from kept.exclusion
    union
    select run_alias.run_key, excluded.reason, excluded.excluded_at, excluded.excluded_by
    from excluded
    join kept.run_alias on run_alias.old_key = excluded.run_key
)
select
    run.run_id,
    run.run_key,
    string_agg(distinct excluded.reason, '; ' order by excluded.reason) as reason,
    max(excluded.excluded_at) as excluded_at,
    string_agg(distinct excluded.excluded_by, '; ' order by excluded.excluded_by) as excluded_by
from run
join excluded using (run_key)
group by run.run_id, run.run_key;

-- What follows is kept: filled in the transaction that changes what it is made of (benchledger/kept), so that no
-- answer has to read the records of a run again. It has no keys, like the records.

-- Which series a run is in.
create table kept.series_member (
    series_id              bigint not null,
    run_id                 bigint not null,
    campaign               varchar,
    case_id                bigint not null,
    gpu_model              varchar,
    gpu_memory_mib         bigint,
    framework_version      varchar,
    implementation_version varchar,
    stated_trial           bigint,
    started_at             timestamp,
    run_key                varchar not null,
    environment_id         bigint not null
);

create table series (
    series_id              bigint not null,
    campaign               varchar,
    case_id                bigint not null,
    gpu_model              varchar,
    gpu_memory_mib         bigint,
    framework_version      varchar,
    implementation_version varchar,
    mixed                  varchar
);

create table kept.series_run (
    series_id bigint not null,
    run_id    bigint not null,
    trial     bigint not null
);

create table conflict (
    run_id       bigint not null,
    name         varchar not null,
    used_value   varchar,
    other_value  varchar,
    used_source  varchar,
    other_source varchar
);
