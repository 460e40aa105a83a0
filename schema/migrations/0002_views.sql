-- Views answer. NULL equals NULL in every key and join; no number depends on the order in which rows were stored:
-- means are taken over lists that are sorted first, since a parallel sum of floats differs from run to run.

-- Roundings that the owners of rules use. numpy's round(x, n) is round_even(x * 10^n) / 10^n, which neither
-- round(x, n) nor round_even(x, n) of DuckDB reproduces. round_exact is C's and Python's '%.2f'. round2_truncate is Python's int(round(x, 2)).
create macro rounded(value, method, digits) as
    case method
        when 'round_even' then round_even(value * pow(10, digits), 0) / pow(10, digits)
        when 'round_exact' then format('{:.{}f}', value, digits)::double
        when 'truncate' then trunc(value * pow(10, digits)) / pow(10, digits)
        when 'round2_truncate' then trunc(round_even(value * 100, 0) / 100 * pow(10, digits)) / pow(10, digits)
        else value
    end;

-- Where a file lies, as people are told it: its path, or that of its archive and the names that lead to it from there.
create macro place_of(path, archive, member) as
    case
        when archive is null then path
        when member is null then archive
        else archive || '!/' || member
    end;

-- A short name of a number in a table: a letter for the table and ten digits of a hash of what the number is of, so that
-- it is the same in every ledger. No hexadecimal digit is s, m or u: no key of a run looks like it.
create macro cell_key(letter, parts) as
    letter || left(md5(to_json(parts)::varchar), 10);

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
create view file_place as
select sighting_id, log_id, path as place
from sighting
union
select sighting_id, log_id, place_of(path, archive, member)
from sighting;

-- Which logs and lines ----------------------------------------------------------------------------------------

-- The log that a run's numbers come from: its train log, its twin where there is no other, and its manifest where no
-- log of it is known.
create view run_source as
select run_id, log_id, segment, role, first_line, last_line
from run_log
where role in ('train', 'duplicate_stream', 'manifest')
qualify role = 'train'
    or not bool_or(role = 'train') over (partition by run_id)
    and (role = 'duplicate_stream' or not bool_or(role = 'duplicate_stream') over (partition by run_id));

-- Three branches instead of one left join, because a telemetry log is claimed device by device:
-- an "or" in the condition of an outer join would compare every record with every claim.
create view measurement_all as
with whole as (
    select run_id, log_id, role, first_line, last_line
    from run_log
    where role <> 'telemetry' or devices is null
),
by_device as (
    -- A telemetry record without a device counts for every claim, hence the NULL in the list.
    select distinct run_id, log_id, role, first_line, last_line, unnest(list_append(devices, null)) as device
    from run_log
    where role = 'telemetry' and devices is not null
),
claimed as (
    select whole.run_id, whole.role, record.*
    from record
    join whole on record.log_id = whole.log_id and record.line between whole.first_line and whole.last_line
    union all
    select by_device.run_id, by_device.role, record.*
    from record
    join by_device
        on record.log_id = by_device.log_id
        and record.device is not distinct from by_device.device
        and record.line between by_device.first_line and by_device.last_line
    union all
    select null, null, record.*
    from record
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
join shape using (shape_id);

create view measurement as
select measurement_all.*
from measurement_all
where role is distinct from 'duplicate_stream'
    or run_id in (select run_id from run_source where role = 'duplicate_stream')
    or (log_id, byte_offset) in (select (log_id, byte_offset) from stream_only);

-- The records that a run's speed is computed from. part 0 is the source log, part 1 what only its twin has.
create view run_record as
select run_source.run_id, 0 as part, record.*
from record
join run_source
    on record.log_id = run_source.log_id and record.line between run_source.first_line and run_source.last_line
union all
select run_log.run_id, 1 as part, record.*
from record
semi join stream_only on record.log_id = stream_only.log_id and record.byte_offset = stream_only.byte_offset
join run_log
    on record.log_id = run_log.log_id and record.line between run_log.first_line and run_log.last_line
semi join run_source on run_log.run_id = run_source.run_id and run_source.role = 'train'
where run_log.role = 'duplicate_stream';

-- Campaigns and series ----------------------------------------------------------------------------------------

-- Of a run whose manifests name campaigns, these count; --campaign-name beats them.
create view run_campaign as
with named as (
    select distinct run_id, value as campaign
    from fact
    where name = 'campaign' and source = 'manifest'
)
select distinct
    run_source.run_id,
    case when sighting.campaign_source = 'option' then sighting.campaign else coalesce(named.campaign, sighting.campaign) end
        as campaign
from run_source
join sighting using (log_id)
left join named using (run_id)
where sighting.status in ('loaded', 'duplicate');

-- When a run was: as its log or its manifest says, else the earliest time of a file or an archive's member that holds
-- its log. Nothing else in the ledger depends on a file's time.
create view run_time as
with seen as (
    select run_source.run_id, min(sighting.modified_at) as modified_at,
        arg_min(if(sighting.archive is null, 'file', 'member'), (sighting.modified_at, sighting.archive is null)) as time_source
    from run_source
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
create view excluded_run as
with recursive excluded(run_key, reason, excluded_at, excluded_by) as (
    select run_key, reason, excluded_at, excluded_by from exclusion
    union
    select run_alias.run_key, excluded.reason, excluded.excluded_at, excluded.excluded_by
    from excluded
    join run_alias on run_alias.old_key = excluded.run_key
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

-- Which series a run is in. A tuple is what a run states of GPU model and memory and of the versions of framework
-- and implementation. A tuple that another one of the same campaign and case agrees with and says more than is narrow;
-- its runs join the one series that fits, where exactly one does.
create view series_member as
with member as (
    select
        run.run_id,
        run_campaign.campaign,
        run.case_id,
        environment.gpu_model,
        environment.gpu_memory_mib,
        environment.framework_version,
        environment.implementation_version,
        run.trial,
        run.started_at,
        run.run_key,
        run.environment_id,
        -- md5 and not hash(): the id must be the same in every release of DuckDB.
        (md5_number_lower(json_array(
            run_campaign.campaign,
            run.case_id,
            environment.gpu_model,
            environment.gpu_memory_mib,
            environment.framework_version,
            environment.implementation_version
        )::varchar) & 9223372036854775807)::bigint as own_id
    from run
    join run_campaign using (run_id)
    left join environment using (environment_id)
    anti join excluded_run using (run_id)
),
stated as (
    select distinct
        own_id, campaign, case_id, gpu_model, gpu_memory_mib, framework_version, implementation_version
    from member
),
fit as (
    select
        one.own_id,
        other.own_id as other_id,
        (one.gpu_model is null or other.gpu_model is not null)
        and (one.gpu_memory_mib is null or other.gpu_memory_mib is not null)
        and (one.framework_version is null or other.framework_version is not null)
        and (one.implementation_version is null or other.implementation_version is not null) as says_more
    from stated as one
    join stated as other
        on one.case_id = other.case_id and one.campaign is not distinct from other.campaign
    where one.own_id <> other.own_id
        and (one.gpu_model = other.gpu_model) is not false
        and (one.gpu_memory_mib = other.gpu_memory_mib) is not false
        and (one.framework_version = other.framework_version) is not false
        and (one.implementation_version = other.implementation_version) is not false
),
narrow as (
    select distinct own_id
    from fit
    where says_more
),
joined as (
    select own_id, min(other_id) as series_id
    from fit
    semi join narrow using (own_id)
    where other_id not in (select own_id from narrow)
    group by own_id
    having count(*) = 1
)
select
    coalesce(joined.series_id, member.own_id) as series_id,
    member.run_id,
    member.campaign,
    member.case_id,
    stated.gpu_model,
    stated.gpu_memory_mib,
    stated.framework_version,
    stated.implementation_version,
    member.trial as stated_trial,
    member.started_at,
    member.run_key,
    member.environment_id
from member
left join joined using (own_id)
join stated on stated.own_id = coalesce(joined.series_id, member.own_id);

create view series as
select
    member.series_id,
    member.campaign,
    member.case_id,
    member.gpu_model,
    member.gpu_memory_mib,
    member.framework_version,
    member.implementation_version,
    -- Two stated values that differ; one that is not stated is no difference.
    nullif(concat_ws(
        ', ',
        case when min(environment.gpu_family) <> max(environment.gpu_family) then 'gpu_family' end,
        case when min(environment.gpus_per_node) <> max(environment.gpus_per_node) then 'gpus_per_node' end,
        case when min(environment.driver_version) <> max(environment.driver_version) then 'driver_version' end,
        case when min(environment.cuda_version) <> max(environment.cuda_version) then 'cuda_version' end,
        case when min(environment.cudnn_version) <> max(environment.cudnn_version) then 'cudnn_version' end,
        case when min(environment.nccl_version) <> max(environment.nccl_version) then 'nccl_version' end,
        case when min(environment.mpi_version) <> max(environment.mpi_version) then 'mpi_version' end,
        case when min(environment.image) <> max(environment.image) then 'image' end,
        case when min(environment.interconnect) <> max(environment.interconnect) then 'interconnect' end,
        case when min(environment.topology) <> max(environment.topology) then 'topology' end,
        case when min(environment.cpu_model) <> max(environment.cpu_model) then 'cpu_model' end,
        case when min(environment.cpu_count) <> max(environment.cpu_count) then 'cpu_count' end,
        case when min(environment.memory_mib) <> max(environment.memory_mib) then 'memory_mib' end,
        case when min(environment.os) <> max(environment.os) then 'os' end,
        case when min(environment.python_version) <> max(environment.python_version) then 'python_version' end,
        case when min(environment.libraries) <> max(environment.libraries) then 'libraries' end
    ), '') as mixed
from series_member as member
left join environment using (environment_id)
group by
    member.series_id,
    member.campaign,
    member.case_id,
    member.gpu_model,
    member.gpu_memory_mib,
    member.framework_version,
    member.implementation_version;

-- A stated trial number stands where no other run of the series states it; the others take the free numbers from 1
-- in the order of their start. The n-th free number is n plus the stated numbers below it, counted by a running sum:
-- the j-th stated number s has s - j free ones below it, so it comes before the free number s - j + 1.
create view series_run as
with member as (
    select
        series_id,
        run_id,
        case
            when stated_trial is not null and count(*) over (partition by series_id, stated_trial) = 1
                then stated_trial
        end as own_trial,
        started_at,
        run_key
    from series_member
),
place as (
    select
        series_id,
        run_id,
        own_trial,
        case
            when own_trial is null
                then row_number() over (
                    partition by series_id, own_trial is null order by started_at nulls last, run_key
                )
            when own_trial >= 1
                then own_trial + 1
                    - row_number() over (partition by series_id, own_trial is null, own_trial >= 1 order by own_trial)
        end as slot
    from member
)
select
    series_id,
    run_id,
    coalesce(
        own_trial,
        slot + count(*) filter (where own_trial >= 1) over (
            partition by series_id order by slot nulls first, own_trial nulls last
            rows between unbounded preceding and current row
        )
    ) as trial
from place;

create view conflict as
with stated as (
    select distinct run_id, name, value, source, used
    from fact
    -- A run is in every campaign in which its log was seen: that is no contradiction.
    where name <> 'campaign' and (used or value is not null)
),
contradicted as (
    select
        other.run_id,
        other.name,
        used.value as used_value,
        other.value as other_value,
        used.source as used_source,
        other.source as other_source
    from stated as other
    join stated as used on other.run_id = used.run_id and other.name = used.name and used.used and not other.used
    where used.value is distinct from other.value
),
undecided as (
    select run_id, name, null as used_value, value as other_value, null as used_source, source as other_source
    from stated
    qualify not bool_or(used) over (partition by run_id, name)
        and min(value) over (partition by run_id, name) <> max(value) over (partition by run_id, name)
)
select * from contradicted
union all
select * from undecided;

-- Speed -------------------------------------------------------------------------------------------------------

-- The two ways to say how fast a step was: so much a second, or so many seconds. Each is the other's reciprocal.
create macro per_second(value, steps, quantity) as
    case when quantity = 'throughput' then value else steps / value end;

-- A run whose logs have several formats takes that of the smallest log id, so that loading order does not matter.
-- A run of which only a manifest is known takes the format of its implementation, so that it is missing from the table
-- in which it would stand.
create view run_format as
with own as (
    select run_source.run_id, arg_min(log.format, log.log_id) as format, bool_and(role = 'manifest') as logless
    from run_source
    join log using (log_id)
    group by run_source.run_id
),
alike as (
    select own.run_id, min(format.format) as format
    from own
    join run using (run_id)
    join bench_case using (case_id)
    join format
        on format.framework is not distinct from bench_case.framework
        and format.implementation = bench_case.implementation
    where own.logless and format.role in ('train', 'duplicate_stream') and format.default_rule is not null
    group by own.run_id
    having count(distinct format.default_rule) = 1
)
select own.run_id, coalesce(alike.format, own.format) as format
from own
left join alike using (run_id);

-- A format's default rule, and what stands in for it where it gives no number.
create view default_rule as
with recursive chain(format, rule, place) as (
    select format, default_rule, 1
    from format
    where default_rule is not null
    union
    select chain.format, rule.fallback, chain.place + 1
    from chain
    join rule using (rule)
    where rule.fallback is not null and chain.place < 10
)
select format, rule, min(place) as place
from chain
group by format, rule;

-- What a run's speed is made of: every speed and step time that it prints, and the time from step to step.
create view run_reading as
with printable as (
    select shape_id, ordinal, kind, phase, quantity, unit, name, scope
    from shape
    where quantity in ('throughput', 'step_time') and kind in ('step', 'summary')
),
printed as (
    select
        record.run_id,
        printable.kind,
        printable.phase,
        printable.quantity,
        printable.unit,
        printable.name,
        printable.scope,
        list_sort(list({
            'part': record.part,
            'log_id': record.log_id,
            'byte_offset': record.byte_offset,
            'ordinal': printable.ordinal,
            'rank': coalesce(record.rank, -1),
            'since': record.step - 1,
            'step': record.step,
            'steps': 1,
            'value': record."values"[printable.ordinal]
        }) filter (
            where isfinite(record."values"[printable.ordinal])
                and (printable.quantity = 'throughput' or record."values"[printable.ordinal] > 0)
        )) as readings,
        count(*) as records,
        min(coalesce(record.rank, -1)) as lowest_rank
    from run_record as record
    join printable using (shape_id)
    where record."values"[printable.ordinal] is not null
    group by all
),
speaking as (
    select run_id
    from printed
    where kind = 'step'
        and phase = 'train'
        and (quantity = 'step_time' or unit is null or unit in ('samples/s', 'tokens/s', 'steps/s'))
),
-- Intervals are made where nothing else tells a step's speed, or a rule asks for them.
timed_run as (
    select run_format.run_id
    from run_format
    anti join speaking using (run_id)
    union
    select run_format.run_id
    from run_format
    join (select unnest(coalesce(formats, [null])) as format from rule where quantity = 'interval') as asking
        on coalesce(asking.format, run_format.format) = run_format.format
),
clock as (
    select distinct shape_id
    from shape
    where kind = 'step' and phase = 'train'
),
interval as (
    select
        record.run_id,
        record.part,
        record.log_id,
        record.byte_offset,
        coalesce(record.rank, -1) as rank,
        lag(record.step) over earlier as since,
        record.step,
        coalesce(
            (epoch_us(record.logged_at) - epoch_us(lag(record.logged_at) over earlier)) / 1e6,
            record.clock_s - lag(record.clock_s) over earlier
        ) as seconds
    from run_record as record
    semi join clock using (shape_id)
    semi join timed_run using (run_id)
    window earlier as (
        partition by record.run_id, coalesce(record.rank, -1) order by record.part, record.log_id, record.byte_offset
    )
)
select
    run_id,
    kind,
    phase,
    quantity,
    unit,
    name,
    scope,
    coalesce(readings, []) as readings,
    records - len(coalesce(readings, [])) as dropped,
    lowest_rank
from printed
union all
select
    run_id,
    'step',
    'train',
    'interval',
    's',
    null,
    'global',
    coalesce(list_sort(list({
        'part': part,
        'log_id': log_id,
        'byte_offset': byte_offset,
        'ordinal': 0,
        'rank': rank,
        'since': since,
        'step': step,
        -- An iteration that overflowed repeats its step number; it was computed all the same.
        'steps': greatest(step - since, 1),
        'value': seconds
    }) filter (where seconds > 0)), []),
    count(*) filter (where seconds <= 0),
    min(rank)
from interval
where step >= since and seconds is not null
group by run_id;

create view run_speed as
with listed as (
    select
        *,
        coalesce(unit, '') as unit_key,
        coalesce(scope, '') as scope_key,
        coalesce(name, '') as name_key,
        list_transform(readings, lambda x: per_second(x.value, x.steps, quantity)) as rates
    from run_reading
),
told as (
    -- Apart from the lists, which each window would copy.
    select
        run_id,
        kind,
        phase,
        quantity,
        unit_key,
        name_key,
        scope_key,
        -- Without a rule's word a step speaks by its printed speed (steps/s where it prints no other), else by its
        -- printed time, else by the clock.
        case quantity
            when 'throughput' then unit is distinct from 'steps/s' or not bool_or(speaks and unit <> 'steps/s') over of_kind
            when 'step_time' then not bool_or(speaks) over of_kind
            else not bool_or(speaks or quantity = 'step_time') over of_kind
        end as is_first_choice,
        -- One number cannot be made of throughputs that go by several names, or are now per GPU and now global.
        count(*) over of_name as scopes,
        count(unit) over of_quantity as with_unit,
        row_number() over (partition by run_id, kind, phase, quantity, unit order by name, scope) as nth,
        row_number() over (partition by run_id, kind, phase, quantity, unit, name order by scope) as nth_of_name,
        min(name) over of_unit as one_name,
        max(name) over of_unit as other_name
    from (
        select
            * exclude (readings, rates),
            quantity = 'throughput' and (unit is null or unit in ('samples/s', 'tokens/s', 'steps/s')) as speaks
        from listed
    )
    window
        of_kind as (partition by run_id, kind, phase),
        of_quantity as (partition by run_id, kind, phase, quantity),
        of_unit as (partition by run_id, kind, phase, quantity, unit),
        of_name as (partition by run_id, kind, phase, quantity, unit, name)
),
-- Two joins by equality: one with "or" would compare every reading with every rule.
applicable as (
    select told.*, rule.rule
    from told
    join rule using (kind)
    where rule.formats is null
    union all
    select told.*, own.rule
    from told
    join run_format using (run_id)
    join (select rule, kind, unnest(formats) as format from rule) as own
        on own.kind = told.kind and own.format = run_format.format
),
reading as (
    select
        listed.* exclude (unit_key, scope_key, name_key),
        applicable.with_unit,
        applicable.scopes,
        applicable.one_name,
        applicable.other_name,
        rule.* exclude (source, "window", description, formats, kind, name, quantity, unit),
        rule.name as name_wanted,
        rule.unit as unit_wanted
    from applicable
    join rule on rule.rule = applicable.rule
    join listed
        on listed.run_id = applicable.run_id
        and listed.kind = applicable.kind
        and listed.quantity = applicable.quantity
        and listed.unit_key = applicable.unit_key
        and listed.name_key = applicable.name_key
        and listed.scope_key = applicable.scope_key
    where applicable.phase is not distinct from listed.phase
        and (rule.name is null or rule.name = listed.name)
        and case when rule.quantity is null then is_first_choice else rule.quantity = listed.quantity end
        and case when rule.name is null then nth else nth_of_name end = 1
),
rank_median as (
    -- One reading a step: the median over its ranks, for the few formats that a rule wants it of.
    select
        record.run_id,
        rule.rule,
        shape.kind,
        shape.phase,
        shape.quantity,
        shape.unit,
        shape.name,
        shape.scope,
        record.step,
        min({'part': record.part, 'log_id': record.log_id, 'byte_offset': record.byte_offset}) as place,
        median(per_second(
            rounded(record."values"[shape.ordinal], rule.reading_rounding, rule.reading_rounding_digits),
            1, shape.quantity
        )) as rate
    from run_record as record
    join shape using (shape_id)
    join run_format using (run_id)
    join rule
        on rule.quantity = shape.quantity
        and rule.kind = shape.kind
        and rule.ranks = 'median'
        and (rule.name is null or rule.name = shape.name)
        and (rule.formats is null or list_contains(rule.formats, run_format.format))
    where isfinite(record."values"[shape.ordinal])
        and (shape.quantity = 'throughput' or record."values"[shape.ordinal] > 0)
        and record.step is not null
    group by all
),
stepwise as (
    select
        run_id,
        rule,
        kind,
        phase,
        unit,
        name,
        scope,
        list_sort(list({
            'part': place.part, 'log_id': place.log_id, 'byte_offset': place.byte_offset, 'ordinal': 0, 'rank': -1,
            'since': step - 1, 'step': step, 'steps': 1, 'value': per_second(rate, 1, quantity)
        })) as readings
    from rank_median
    group by run_id, rule, kind, phase, unit, name, scope
),
applied as (
    select
        reading.* exclude (readings, rates, name, lowest_rank, with_unit, scopes, one_name, other_name),
        case when quantity = 'throughput' then reading.unit else 'steps/s' end as base_unit,
        case
            when unit_wanted is not null then unit_wanted
            when quantity = 'throughput' then reading.unit
            else 'samples/s'
        end as yields,
        case
            when reading.unit is null and with_unit > 0
                then 'no unit is known for these records; others of this run have one'
            when name_wanted is null and one_name <> other_name
                then format('{} goes by several names: {}, {}', replace(quantity, '_', ' '), one_name, other_name)
            when scopes > 1 then 'throughput is per GPU in some records and global in others'
        end as mixture,
        -- Most rules need no more than the speeds in their order; structs cost five times as much.
        ranks = 'all'
        and average_of = 'rates'
        and coalesce(after_step, to_step) is null
        and reading_rounding is null as is_plain,
        case when is_plain then rates end as all_rates,
        case
            when is_plain then null
            when ranks = 'median' then coalesce(stepwise.readings, [])
            when ranks = 'first' then list_filter(reading.readings, lambda x: x.rank = lowest_rank)
            else reading.readings
        end as candidates,
        case when ranks = 'median' then coalesce(len(stepwise.readings), 0) else len(reading.readings) end as found
    from reading
    left join stepwise
        on stepwise.run_id = reading.run_id
        and stepwise.rule = reading.rule
        and stepwise.phase is not distinct from reading.phase
        and stepwise.unit is not distinct from reading.unit
        and stepwise.name = reading.name
        and stepwise.scope is not distinct from reading.scope
),
windowed as (
    select
        * exclude (candidates, all_rates),
        list_slice(all_rates, skip + 1, skip + coalesce(take, len(all_rates))) as plain_rates,
        list_slice(
            case
                when is_plain or coalesce(after_step, to_step) is null then candidates
                -- Of an interval both ends lie within the window.
                else list_filter(
                    candidates,
                    lambda x: x.since >= coalesce(after_step, x.since) and x.step <= coalesce(to_step, x.step)
                )
            end,
            skip + 1,
            skip + coalesce(take, len(candidates))
        ) as chosen
    from applied
    where yields is not distinct from base_unit
        or (base_unit = 'steps/s' and yields in ('samples/s', 'tokens/s', 's'))
        or (base_unit = 'samples/s' and yields = 'tokens/s')
        or (base_unit = 'tokens/s' and yields = 'samples/s')
),
rated as (
    select
        * exclude (chosen, plain_rates),
        kind = 'summary' or coalesce(len(plain_rates), len(chosen)) is not distinct from take or coalesce(
            chosen[-1].step = to_step
            and (quantity <> 'interval' or chosen[1].since = coalesce(after_step, chosen[1].since)),
            false
        ) as is_whole,
        case
            when is_plain then plain_rates
            -- The median over ranks was taken of rounded readings already.
            when reading_rounding is null or ranks = 'median'
                then list_transform(chosen, lambda x: per_second(x.value, x.steps, quantity))
            else list_transform(
                chosen,
                lambda x: per_second(rounded(x.value, reading_rounding, reading_rounding_digits), x.steps, quantity)
            )
        end as every_rate,
        case when average_of = 'times' then list_transform(chosen, lambda x: x.steps::double) end as volumes
    from windowed
),
used as (
    select
        * exclude (every_rate) replace (
            case
                when positive_only and average_of = 'times' then list_transform(
                    list_filter(list_zip(volumes, every_rate), lambda x: x[2] > 0), lambda x: x[1]
                )
                else volumes
            end as volumes
        ),
        -- "last" looks for the last record first: a run that ends with 0 has no positive speed.
        case
            when statistic = 'last'
                then list_filter(list_slice(every_rate, -1, -1), lambda x: x > 0 or not positive_only)
            when positive_only then list_filter(every_rate, lambda x: x > 0)
            else every_rate
        end as rates
    from rated
),
counted as (
    select
        used.*,
        len(rates) as records_used,
        case
            when average_of = 'times' and statistic = 'mean'
                then list_sum(volumes) / list_sum(list_transform(list_zip(volumes, rates), lambda x: x[1] / x[2]))
            when average_of = 'times' and statistic = 'median'
                then 1 / list_median(list_transform(rates, lambda x: 1 / x))
            when statistic = 'median' then list_median(rates)
            else list_avg(rates)
        end as rate,
        case
            when quantity <> 'throughput' then 1
            when scope = 'gpu' then bench_case.gpus
            -- Of one GPU, the speed per GPU is the global one.
            when scope = 'global' or bench_case.gpus = 1 then 1
        end as processes,
        case
            when quantity <> 'throughput' and unit is distinct from 's' then null
            when yields is not distinct from base_unit or yields = 's' then 1
            when base_unit = 'steps/s'
                then case used.batch when 'pass' then bench_case.batch_size_per_gpu * bench_case.gpus
                    else bench_case.global_batch_size end
                    * case yields when 'tokens/s' then bench_case.seq_len else 1 end
            when base_unit = 'tokens/s' then 1 / bench_case.seq_len
            else bench_case.seq_len
        end as conversion,
        case
            when quantity = 'throughput' and scope = 'gpu' and bench_case.gpus is null then 'gpus'
            when quantity = 'throughput' and scope is null and bench_case.gpus is distinct from 1 then 'scope'
            when quantity <> 'throughput' and unit is distinct from 's' then 'unit'
            when base_unit = 'steps/s' and used.batch = 'global' and bench_case.global_batch_size is null
                then 'global_batch_size'
            when base_unit = 'steps/s' and used.batch = 'pass' and bench_case.batch_size_per_gpu is null
                then 'batch_size_per_gpu'
            when base_unit = 'steps/s' and used.batch = 'pass' and bench_case.gpus is null then 'gpus'
            else 'seq_len'
        end as needed
    from used
    join run using (run_id)
    join bench_case using (case_id)
),
computed as (
    select
        run_id,
        rule,
        phase,
        yields as unit,
        case
            when mixture is null and (is_whole or not complete)
                then rounded(
                    case when yields = 's' and base_unit = 'steps/s' then 1 / rate else rate * processes * conversion end,
                    rounding,
                    rounding_digits
                )
        end as value,
        records_used,
        found + dropped - records_used as records_skipped,
        case
            when mixture is not null then 'mixed'
            when records_used = 0 or (complete and not is_whole) then 'too_few_records'
            when processes is null or conversion is null then 'missing_fact'
            when zero_fails and abs(value) < 1 then 'failed'
            else 'ok'
        end as status,
        case
            when mixture is not null then mixture
            when records_used = 0
                then format('{} usable of {} records; the rule skips {}', records_used, found + dropped, skip)
            when complete and not is_whole
                then format('{} records in the window; the rule wants the whole of it', records_used)
            when processes is null or conversion is null then needed
            when zero_fails and abs(value) < 1 then 'its owner takes a result below 1 for a failure'
        end as reason,
        is_whole
    from counted
    -- Of two readings that both lead to the rule's unit the one that is printed in it; throughput before times.
    qualify row_number() over (
        partition by run_id, rule, phase, yields
        order by yields is not distinct from base_unit desc, quantity desc, unit
    ) = 1
),
answered as (
    -- What its owner calls a failure is no speed of nought.
    select * replace (case when status <> 'failed' or value <> 0 then value end as value)
    from computed
    union all
    -- A run without any throughput is still a row of its default rule: a failed run is a status, never nothing.
    select
        run_format.run_id,
        format.default_rule,
        'train',
        null,
        null,
        0,
        0,
        'too_few_records',
        'no throughput in its records',
        false
    from run_format
    join format using (format)
    anti join (
        select run_id, rule
        from computed
        where phase = 'train'
    ) as spoken on spoken.run_id = run_format.run_id and spoken.rule = format.default_rule
    where format.default_rule is not null
)
select
    answered.run_id,
    run.case_id,
    answered.rule,
    -- The first rule of the format's chain that gives a number; if none does, the first.
    coalesce(default_rule.place = coalesce(
        min(default_rule.place) filter (where answered.value is not null)
            over (partition by answered.run_id, answered.phase),
        1
    ), false) as is_default,
    answered.phase,
    answered.value,
    answered.unit,
    answered.records_used,
    answered.records_skipped,
    case when run.status in ('ok', 'unknown') then answered.status else run.status end as status,
    case when run.status in ('ok', 'unknown') then answered.reason else run.reason end as reason,
    answered.phase = 'train'
    and answered.status = 'ok'
    and (
        run.status in ('ok', 'unknown')
        -- A run that was cut off after all that the rule asks for counts, unless its manifest says that it failed.
        or (run.status = 'truncated' and coalesce(answered.is_whole, false) and coalesce(run.exit_code, 0) = 0)
    ) as is_trial
from answered
join run using (run_id)
join run_format using (run_id)
left join default_rule on default_rule.format = run_format.format and default_rule.rule = answered.rule;

create view speed_table as
with doubt as (
    select run_id, count(*) as conflicts
    from conflict
    group by run_id
),
size as (
    select series_run.series_id, count(*) as runs, coalesce(sum(doubt.conflicts), 0)::bigint as conflicts
    from series_run
    left join doubt using (run_id)
    group by series_run.series_id
),
trial as (
    select
        series_run.series_id,
        series_run.trial,
        run_speed.run_id,
        run_speed.rule,
        -- A series has one default: of its format's chain the first rule that gives it a number. Runs for which only
        -- a later one does are dropped there, visibly, rather than mixed in.
        coalesce(default_rule.place = coalesce(
            min(default_rule.place) filter (where run_speed.is_trial and run_speed.value is not null)
                over (partition by series_run.series_id, run_format.format),
            1
        ), false) as is_default,
        run_speed.value,
        run_speed.unit,
        run_speed.status,
        run_speed.is_trial
    from series_run
    join run_speed using (run_id)
    join run_format using (run_id)
    left join default_rule on default_rule.format = run_format.format and default_rule.rule = run_speed.rule
    where run_speed.phase = 'train'
),
cell as (
    select
        series_id,
        rule,
        unit,
        bool_or(is_default) as is_default,
        list_sort(
            list({'trial': trial, 'run_id': run_id, 'value': value}) filter (where is_trial)
        ) as trials
    from trial
    where unit is not null or value is not null
    group by series_id, rule, unit
),
dropped as (
    -- The most frequent status, of several the first by name.
    select series_id, rule, bool_or(is_default) as is_default, min({'fewer': -runs, 'status': status}).status as status
    from (
        select series_id, rule, status, bool_or(is_default) as is_default, count(*) as runs
        from trial
        where not is_trial
        group by series_id, rule, status
    )
    group by series_id, rule
),
every_cell as (
    select cell.series_id, cell.rule, cell.unit, cell.is_default, cell.trials, dropped.status
    from cell
    left join dropped using (series_id, rule)
    union all
    select dropped.series_id, dropped.rule, null, dropped.is_default, null, dropped.status
    from dropped
    anti join cell using (series_id, rule)
),
counted as (
    select
        *,
        list_transform(coalesce(trials, []), lambda x: x.value) as speeds,
        list_transform(coalesce(trials, []), lambda x: x.run_id) as trial_runs
    from every_cell
)
select
    series.series_id,
    series.campaign,
    series.case_id,
    bench_case.name,
    bench_case.framework,
    bench_case.implementation,
    bench_case.model,
    bench_case.task,
    bench_case.precision,
    bench_case.batch_size_per_gpu,
    bench_case.global_batch_size,
    bench_case.nodes,
    bench_case.gpus,
    bench_case.seq_len,
    bench_case.gradient_accumulation,
    bench_case.options,
    series.gpu_model,
    counted.rule,
    counted.is_default,
    rounded(
        case when rule.trial_statistic = 'median' then list_median(counted.speeds) else list_avg(counted.speeds) end,
        rule.trial_rounding,
        rule.trial_rounding_digits
    ) as value,
    counted.unit,
    len(counted.speeds) as trials,
    size.runs - len(counted.speeds) as trials_dropped,
    list_min(counted.speeds) as lowest,
    list_max(counted.speeds) as highest,
    case when len(counted.speeds) > 1 then list_stddev_samp(counted.speeds) end as stdev,
    size.conflicts,
    case when len(counted.speeds) > 0 then 'ok' else counted.status end as status,
    series.gpu_memory_mib,
    series.framework_version,
    series.implementation_version,
    series.mixed,
    counted.trial_runs,
    cell_key('s', [series.series_id::varchar, counted.rule, counted.unit]) as cell
from counted
join series using (series_id)
join size using (series_id)
join bench_case using (case_id)
join rule using (rule);

-- Memory ------------------------------------------------------------------------------------------------------

-- The same run has several true memories (allocated, reserved, of the process, of the device): never mixed.
create view run_memory as
select
    measurement.run_id,
    run.case_id,
    case measurement.quantity
        when 'memory_used' then 'device'
        when 'memory_allocated' then 'allocated'
        when 'memory_reserved' then 'reserved'
        when 'memory_process' then 'process'
    end as definition,
    -- A program that numbers its ranks and not its devices: one rank holds one device.
    coalesce(measurement.device, 'rank ' || measurement.rank) as device,
    max(measurement.value) as value_mib,
    count(*) as records_used
from measurement
join run using (run_id)
where measurement.unit = 'MiB'
    and isfinite(measurement.value)
    and (
        (measurement.quantity = 'memory_used' and measurement.kind = 'sample')
        or measurement.quantity in ('memory_allocated', 'memory_reserved', 'memory_process')
    )
group by all;

create view memory_table as
with trial as (
    select
        series_run.series_id,
        run_memory.run_id,
        run_memory.definition,
        run.status,
        run.status in ('ok', 'unknown') as is_trial,
        max(run_memory.value_mib) as value_mib
    from series_run
    join run_memory using (run_id)
    join run using (run_id)
    group by all
),
cell as (
    select
        series_id,
        definition,
        median(value_mib) filter (where is_trial) as value_mib,
        count(*) filter (where is_trial) as trials,
        count(*) filter (where not is_trial) as trials_dropped,
        min(value_mib) filter (where is_trial) as lowest_mib,
        max(value_mib) filter (where is_trial) as highest_mib,
        case when bool_or(is_trial) then 'ok' else min(status) end as status
    from trial
    group by series_id, definition
)
select
    series.series_id,
    series.campaign,
    series.case_id,
    bench_case.name,
    bench_case.framework,
    bench_case.implementation,
    bench_case.model,
    bench_case.task,
    bench_case.precision,
    bench_case.batch_size_per_gpu,
    bench_case.global_batch_size,
    bench_case.nodes,
    bench_case.gpus,
    bench_case.seq_len,
    bench_case.gradient_accumulation,
    bench_case.options,
    series.gpu_model,
    cell.definition,
    cell.value_mib,
    series.gpu_memory_mib,
    series.gpu_memory_mib - cell.value_mib as headroom_mib,
    cell.trials,
    cell.trials_dropped,
    cell.lowest_mib,
    cell.highest_mib,
    cell.status,
    series.framework_version,
    series.implementation_version,
    series.mixed,
    cell_key('m', [series.series_id::varchar, cell.definition]) as cell
from cell
join series using (series_id)
join bench_case using (case_id);

-- Speed-up ----------------------------------------------------------------------------------------------------

-- Seconds are the better the fewer.
create macro faster(value, base, unit) as
    case when unit = 's' then base / value else value / base end;

create view speedup_table as
with cell as (
    -- A family is what may be compared: weak scaling fixes the batch size of a GPU, strong scaling the global one.
    select
        *,
        row_number() over (order by series_id, rule, unit) as cell_id,
        dense_rank() over (order by
            campaign, framework, implementation, model, task, precision, seq_len, options, gpu_model, gpu_memory_mib,
            framework_version, implementation_version, rule, unit, batch_size_per_gpu
        ) as weak_family,
        dense_rank() over (order by
            campaign, framework, implementation, model, task, precision, seq_len, options, gpu_model, gpu_memory_mib,
            framework_version, implementation_version, rule, unit, global_batch_size
        ) as strong_family
    from speed_table
),
placed as (
    select
        cell_id, 'weak' as scaling, weak_family as family,
        batch_size_per_gpu, global_batch_size, gpus, gradient_accumulation, value,
        false as is_swept
    from cell
    union all
    select
        cell_id, 'strong', strong_family,
        batch_size_per_gpu, global_batch_size, gpus, gradient_accumulation, value,
        min(batch_size_per_gpu) over (partition by strong_family)
            <> max(batch_size_per_gpu) over (partition by strong_family)
    from cell
    where global_batch_size is not null
),
base as (
    select *
    from placed
    where value is not null and gpus is not null
    qualify gpus = min(gpus) over (partition by scaling, family)
),
paired as (
    select
        placed.cell_id,
        placed.scaling,
        base.cell_id as base_id,
        placed.batch_size_per_gpu is distinct from base.batch_size_per_gpu as other_batch,
        -- Quotients, not logarithms: equal ratios are equal to the last bit. NULL to NULL is the same, to a number far.
        rank() over (
            partition by placed.cell_id, placed.scaling
            order by
                placed.cell_id <> base.cell_id,
                case
                    when placed.global_batch_size is not distinct from base.global_batch_size then 1
                    else greatest(placed.global_batch_size, base.global_batch_size)
                        / case when placed.global_batch_size + base.global_batch_size is not null
                            then least(placed.global_batch_size, base.global_batch_size) end
                end nulls last,
                case
                    when placed.gradient_accumulation is not distinct from base.gradient_accumulation then 1
                    else greatest(placed.gradient_accumulation, base.gradient_accumulation)
                        / case when placed.gradient_accumulation + base.gradient_accumulation is not null
                            then least(placed.gradient_accumulation, base.gradient_accumulation) end
                end nulls last
        ) as preference
    from placed
    join base using (scaling, family)
    where placed.gpus is not null
),
chosen as (
    -- Two bases that are equally near: none.
    select
        cell_id,
        scaling,
        case when count(*) = 1 then min(base_id) end as base_id,
        case when count(*) = 1 then bool_or(other_batch) end as other_batch
    from paired
    where preference = 1
    group by cell_id, scaling
),
row_of as (
    select placed.cell_id, placed.scaling, chosen.base_id
    from placed
    left join chosen using (cell_id, scaling)
    -- A base with the same batch size per GPU is weak scaling, and stands there.
    where placed.scaling = 'weak'
        or (placed.is_swept and (coalesce(chosen.other_batch, true) or chosen.base_id = placed.cell_id))
)
select
    cell.series_id,
    cell.campaign,
    cell.case_id,
    cell.name,
    cell.framework,
    cell.implementation,
    cell.model,
    cell.task,
    cell.precision,
    cell.batch_size_per_gpu,
    cell.global_batch_size,
    cell.nodes,
    cell.gpus,
    cell.seq_len,
    cell.gradient_accumulation,
    cell.options,
    cell.gpu_model,
    cell.rule,
    cell.is_default,
    cell.value,
    cell.unit,
    cell.trials,
    cell.trials_dropped,
    cell.lowest,
    cell.highest,
    cell.stdev,
    cell.conflicts,
    cell.status,
    row_of.scaling,
    base_cell.series_id as base_series_id,
    base_cell.gpus as base_gpus,
    base_cell.value as base_value,
    rounded(
        faster(cell.value, base_cell.value, cell.unit), rule.speedup_rounding, rule.speedup_rounding_digits
    ) as speedup,
    faster(cell.value, base_cell.value, cell.unit) * base_cell.gpus / cell.gpus as efficiency,
    cell.gpu_memory_mib,
    cell.framework_version,
    cell.implementation_version,
    cell.mixed,
    cell_key('u', [cell.series_id::varchar, cell.rule, cell.unit, row_of.scaling]) as cell
from cell
join row_of using (cell_id)
join rule using (rule)
left join cell as base_cell on base_cell.cell_id = row_of.base_id;

-- What went wrong, and what fits ------------------------------------------------------------------------------

create view failure_table as
with last_words as (
    select run_log.run_id, run_log.log_id, segment.event_line as line, min(segment.event_text) as event_text
    from run_log
    join segment using (log_id, segment)
    where segment.event_line is not null
    group by all
)
select
    run.run_id,
    run_campaign.campaign,
    run.case_id,
    bench_case.name,
    bench_case.framework,
    bench_case.implementation,
    bench_case.model,
    bench_case.task,
    bench_case.precision,
    bench_case.batch_size_per_gpu,
    bench_case.global_batch_size,
    bench_case.nodes,
    bench_case.gpus,
    bench_case.seq_len,
    bench_case.gradient_accumulation,
    bench_case.options,
    run.status,
    run.reason,
    run.status_log_id as log_id,
    run.status_line as line,
    coalesce(last_words.event_text, run.reason) as text,
    environment.gpu_model,
    run.run_key,
    run.steps_done,
    run.steps_planned,
    run.exit_code
from run
anti join excluded_run using (run_id)
left join run_campaign using (run_id)
join bench_case using (case_id)
left join environment using (environment_id)
left join last_words
    on last_words.run_id = run.run_id
    and last_words.log_id = run.status_log_id
    and last_words.line = run.status_line
where run.status not in ('ok', 'unknown');

create view max_batch_table as
select
    series.campaign,
    series.gpu_model,
    bench_case.framework,
    bench_case.implementation,
    bench_case.model,
    bench_case.task,
    bench_case.precision,
    bench_case.nodes,
    bench_case.gpus,
    bench_case.seq_len,
    bench_case.gradient_accumulation,
    bench_case.options,
    max(bench_case.batch_size_per_gpu) filter (where run.status in ('ok', 'unknown')) as largest_ok,
    min(bench_case.batch_size_per_gpu) filter (where run.status = 'oom') as smallest_oom,
    count(*) as runs,
    list_sort(
        list(distinct bench_case.batch_size_per_gpu) filter (where run.status in ('ok', 'unknown'))
    ) as sizes_ok,
    list_sort(list(distinct bench_case.batch_size_per_gpu) filter (where run.status = 'oom')) as sizes_oom
from series_run
join series using (series_id)
join run on run.run_id = series_run.run_id
join bench_case on bench_case.case_id = run.case_id
where bench_case.batch_size_per_gpu is not null and run.status in ('ok', 'unknown', 'oom')
group by all;

-- A profile stands for itself: where no run claims its log, run_id is NULL, and log_id tells the profiles apart.
create view profile_table as
with kernel as (
    select
        run_id,
        log_id,
        label,
        name,
        quantity,
        unit,
        list_sort(list({'byte_offset': byte_offset, 'ordinal': ordinal, 'value': value})) as records
    from measurement
    where kind = 'kernel' and value is not null
    group by run_id, log_id, label, name, quantity, unit
),
listed as (
    select * exclude (records), list_transform(records, lambda x: x.value) as readings
    from kernel
    anti join excluded_run using (run_id)
)
select
    listed.run_id,
    run.case_id,
    listed.log_id,
    listed.label,
    listed.name,
    listed.quantity,
    list_avg(listed.readings) as value,
    listed.unit,
    len(listed.readings) as records,
    list_sum(listed.readings) as total,
    list_min(listed.readings) as lowest,
    list_max(listed.readings) as highest
from listed
left join run using (run_id);

-- Kernels by the time that they took: of a timeline each launch is a record, a profiler's own table states the sum.
create view kernel_table as
with launched as (
    select run_id, log_id, device, label, count(*) as calls, list_sum(list_sort(list(value))) as total_s
    from measurement
    where kind = 'kernel' and quantity = 'kernel_time' and unit = 's' and isfinite(value)
    group by run_id, log_id, device, label
),
summed as (
    select
        run_id,
        log_id,
        device,
        label,
        max(value) filter (where quantity = 'kernel_calls') as calls,
        max(value) filter (where quantity = 'kernel_time_total' and unit = 's') as total_s
    from measurement
    where kind = 'kernel'
    group by run_id, log_id, device, label, byte_offset
    -- nvprof lists what the host called under the same columns.
    having total_s is not null and not coalesce(bool_or(name = 'Type' and text <> 'GPU activities'), false)
),
stated as (
    select run_id, log_id, device, label, calls, total_s, true as each_launch
    from launched
    union all
    select run_id, log_id, device, label, sum(calls)::bigint, list_sum(list_sort(list(total_s))), false
    from summed
    group by run_id, log_id, device, label
)
select
    stated.run_id,
    run.case_id,
    stated.log_id,
    stated.device,
    stated.label,
    stated.calls,
    stated.total_s,
    stated.total_s / nullif(stated.calls, 0) as mean_s,
    case
        when stated.each_launch
            then 100 * stated.total_s
                / nullif(list_sum(list_sort(list(stated.total_s) over (partition by stated.run_id, stated.log_id, stated.device))), 0)
    end as share_percent
from stated
anti join excluded_run using (run_id)
left join run using (run_id);

-- The mean of the values that are numbers, each with its weight, over a sorted list.
create macro weighted_mean(pairs) as
    list_sum(list_sort([pair.value * pair.weight for pair in pairs if isfinite(pair.value) and isfinite(pair.weight)]))
    / nullif(list_sum(list_sort([pair.weight for pair in pairs if isfinite(pair.value) and isfinite(pair.weight)])), 0);

-- How busy a device was while it was profiled. Kernels overlap: their time counts once, so what a kernel adds is what
-- reaches beyond the last end before it. Pipes: TBD's mean over kernels, weighted by their cycles. Its own script counts
-- up to the highest ID of the file and leaves that launch out (tbd-suite, Core-Utilization-Analyzer/main.py): tbd_value.
create view utilization_table as
with kernel as (
    select run_id, log_id, device, clock_s as start_s, clock_s + value as end_s
    from measurement
    where kind = 'kernel' and quantity = 'kernel_time' and unit = 's' and isfinite(value) and isfinite(clock_s)
),
reached as (
    select
        *,
        max(end_s) over (
            partition by run_id, log_id, device order by start_s, end_s
            rows between unbounded preceding and 1 preceding
        ) as until_s
    from kernel
),
busy as (
    select
        run_id,
        log_id,
        device,
        count(*) as kernels,
        list_sum(list_sort(list(greatest(end_s - greatest(start_s, coalesce(until_s, start_s)), 0)))) as busy_s,
        max(end_s) - min(start_s) as own_s
    from reached
    group by run_id, log_id, device
),
profiled as (
    select run_id, log_id, max(value) as span_s
    from measurement
    where quantity = 'profiled_time' and unit = 's' and isfinite(value)
    group by run_id, log_id
),
launch as (
    select
        run_id,
        log_id,
        device,
        name,
        quantity,
        unit,
        value,
        step < max(step) over (partition by run_id, log_id) as tbd_counts,
        max(value) filter (where quantity = 'kernel_cycles')
            over (partition by run_id, log_id, device, step, label) as cycles
    from measurement
    where kind = 'kernel' and quantity in ('pipe_utilization', 'kernel_cycles')
),
pipe as (
    select
        run_id,
        log_id,
        device,
        name,
        count(*) filter (where isfinite(value) and isfinite(cycles)) as kernels,
        weighted_mean(list({'value': value, 'weight': cycles})) as value,
        weighted_mean(list({'value': value, 'weight': cycles}) filter (where tbd_counts)) as tbd_value
    from launch
    where quantity = 'pipe_utilization' and (unit = '%' or value is null)
    group by run_id, log_id, device, name
),
found as (
    select
        busy.run_id,
        busy.log_id,
        busy.device,
        'compute' as metric,
        100 * busy.busy_s / nullif(greatest(coalesce(profiled.span_s, busy.own_s), busy.own_s), 0) as value,
        null::double as tbd_value,
        busy.kernels,
        busy.busy_s,
        greatest(coalesce(profiled.span_s, busy.own_s), busy.own_s) as profiled_s,
        case
            when profiled.span_s >= busy.own_s then 'time with a kernel running over the profiled time'
            else 'time with a kernel running over the time from the first kernel to the last'
        end as method
    from busy
    left join profiled
        on busy.log_id = profiled.log_id and busy.run_id is not distinct from profiled.run_id
    union all
    select run_id, log_id, device, name, value, tbd_value, kernels, null, null, 'mean over kernels, weighted by their cycles'
    from pipe
)
select found.run_id, run.case_id, found.* exclude (run_id)
from found
anti join excluded_run using (run_id)
left join run using (run_id);

-- What is known of a profile. Of one that a run claims it is the run's case; else what its places and the profile
-- itself say, by order of trust. Where the most trusted disagree, nothing is said.
create view profile_case as
with said as (
    select log_id, name, value, case source when 'correct' then 0 when 'manifest' then 2 when 'facts.toml' then 3 else 4 end as trust
    from sighting_fact
    join sighting using (sighting_id)
    where sighting.status in ('loaded', 'duplicate') and value is not null
    union all
    select log_id, name, value, 1
    from log_fact
    where value is not null
),
most_trusted as (
    select log_id, name, if(count(distinct value) = 1, min(value), null) as value
    from (select * from said qualify trust = min(trust) over (partition by log_id, name))
    group by log_id, name
),
stated as (
    select
        log_id,
        max(value) filter (where name = 'framework') as framework,
        max(value) filter (where name = 'implementation') as implementation,
        max(value) filter (where name = 'model') as model,
        max(value) filter (where name = 'task') as task,
        max(value) filter (where name = 'precision') as precision,
        max(try_cast(value as bigint)) filter (where name = 'batch_size_per_gpu') as batch_size_per_gpu,
        max(try_cast(value as bigint)) filter (where name = 'global_batch_size') as global_batch_size,
        max(try_cast(value as bigint)) filter (where name = 'nodes') as nodes,
        max(try_cast(value as bigint)) filter (where name = 'gpus') as gpus,
        max(try_cast(value as bigint)) filter (where name = 'seq_len') as seq_len,
        max(try_cast(value as bigint)) filter (where name = 'gradient_accumulation') as gradient_accumulation,
        max(value) filter (where name = 'gpu_model') as gpu_model
    from most_trusted
    group by log_id
),
place as (
    select distinct log_id, campaign
    from sighting
    where status in ('loaded', 'duplicate')
),
profile as (
    select distinct run_log.run_id, log.log_id, format.framework, format.implementation
    from log
    join format on format.format = log.format
    left join run_log using (log_id)
    where format.role = 'profile'
)
select distinct
    profile.run_id,
    profile.log_id,
    if(profile.run_id is null, place.campaign, run_campaign.campaign) as campaign,
    run.case_id,
    bench_case.name,
    if(profile.run_id is null, coalesce(stated.framework, profile.framework), bench_case.framework) as framework,
    if(profile.run_id is null, coalesce(stated.implementation, profile.implementation), bench_case.implementation)
        as implementation,
    if(profile.run_id is null, stated.model, bench_case.model) as model,
    if(profile.run_id is null, stated.task, bench_case.task) as task,
    if(profile.run_id is null, stated.precision, bench_case.precision) as precision,
    if(profile.run_id is null, stated.batch_size_per_gpu, bench_case.batch_size_per_gpu) as batch_size_per_gpu,
    if(profile.run_id is null, stated.global_batch_size, bench_case.global_batch_size) as global_batch_size,
    if(profile.run_id is null, stated.nodes, bench_case.nodes) as nodes,
    if(profile.run_id is null, stated.gpus, bench_case.gpus) as gpus,
    if(profile.run_id is null, stated.seq_len, bench_case.seq_len) as seq_len,
    if(profile.run_id is null, stated.gradient_accumulation, bench_case.gradient_accumulation) as gradient_accumulation,
    bench_case.options,
    if(profile.run_id is null, stated.gpu_model, environment.gpu_model) as gpu_model
from profile
join place on place.log_id = profile.log_id
left join stated on stated.log_id = profile.log_id
left join run using (run_id)
left join run_campaign using (run_id)
left join bench_case using (case_id)
left join environment using (environment_id)
anti join excluded_run on excluded_run.run_id = profile.run_id;

create view convergence_table as
with reading as (
    select
        record.run_id,
        shape.name,
        shape.quantity,
        min({
            'part': record.part, 'log_id': record.log_id, 'byte_offset': record.byte_offset,
            'ordinal': shape.ordinal, 'step': record.step, 'value': record."values"[shape.ordinal]
        }) as first_record,
        max({
            'part': record.part, 'log_id': record.log_id, 'byte_offset': record.byte_offset,
            'ordinal': shape.ordinal, 'step': record.step, 'value': record."values"[shape.ordinal]
        }) as last_record,
        count(*) as records
    from run_record as record
    join shape using (shape_id)
    anti join excluded_run using (run_id)
    where record."values"[shape.ordinal] is not null
        and (
            (shape.quantity = 'loss' and shape.kind = 'step' and shape.phase = 'train')
            or (shape.quantity = 'accuracy' and shape.kind in ('step', 'summary'))
        )
    group by record.run_id, shape.name, shape.quantity
),
accuracy as (
    select run_id, max({'last_record': last_record, 'name': name}) as latest
    from reading
    where quantity = 'accuracy'
    group by run_id
)
select
    run.run_id,
    run.case_id,
    loss.name as loss_name,
    loss.first_record.step as first_step,
    loss.first_record.value as first_loss,
    loss.last_record.step as last_step,
    loss.last_record.value as last_loss,
    loss.records as loss_records,
    accuracy.latest.name as accuracy_name,
    accuracy.latest.last_record.value as last_accuracy,
    run.status
from (select * from reading where quantity = 'loss') as loss
full join accuracy using (run_id)
join run on run.run_id = coalesce(loss.run_id, accuracy.run_id);

-- What a number is made of -------------------------------------------------------------------------------------

create view trial_table as
with seen as (
    select
        run_source.run_id,
        sighting.campaign,
        -- Appended to, a log is one run's in two parts: the first is shown.
        min({
            'place': place_of(path, archive, member),
            'first_line': run_source.first_line,
            'last_line': run_source.last_line
        }) as place
    from run_source
    join sighting using (log_id)
    where sighting.status in ('loaded', 'duplicate')
    group by run_source.run_id, sighting.campaign
),
-- The same log can lie in two campaigns: a number leads to its own.
placed as (
    select run_campaign.run_id, run_campaign.campaign, coalesce(min(here.place), min(seen.place)) as seen
    from run_campaign
    join seen on seen.run_id = run_campaign.run_id
    left join seen as here on here.run_id = run_campaign.run_id and here.campaign is not distinct from run_campaign.campaign
    group by run_campaign.run_id, run_campaign.campaign
)
select
    speed_table.cell,
    speed_table.series_id,
    speed_table.campaign,
    speed_table.name,
    speed_table.framework,
    speed_table.implementation,
    speed_table.model,
    speed_table.task,
    speed_table.precision,
    speed_table.batch_size_per_gpu,
    speed_table.nodes,
    speed_table.gpus,
    speed_table.gpu_model,
    speed_table.rule,
    speed_table.is_default,
    speed_table.value as series_value,
    series_run.trial,
    run.run_id,
    run.run_key,
    run_speed.value,
    speed_table.unit,
    list_contains(speed_table.trial_runs, run.run_id) as counts,
    run_speed.records_used,
    run_speed.records_skipped,
    run_speed.status,
    run_speed.reason,
    placed.seen.place as place,
    placed.seen.first_line as first_line,
    placed.seen.last_line as last_line
from speed_table
join series_run using (series_id)
join run_speed
    on run_speed.run_id = series_run.run_id and run_speed.rule = speed_table.rule and run_speed.phase = 'train'
join run on run.run_id = series_run.run_id
left join placed on placed.run_id = run.run_id and placed.campaign is not distinct from speed_table.campaign
where run_speed.unit is not distinct from speed_table.unit or run_speed.value is null;

-- Ours against what others published --------------------------------------------------------------------------

-- A column that a published number states must be the same in ours; one that it does not state is no condition. In the
-- document's own logs what they do not say is no contradiction. The card is shown, not asked for.
create view published_table as
with ours as (
    select
        'speed' as quantity, series_id, campaign, rule, is_default, value, unit, trials, conflicts, framework, implementation, model,
        task, precision, batch_size_per_gpu, nodes, gpus, seq_len, gradient_accumulation, gpu_model, cell
    from speed_table
    where value is not null
    union all
    select
        'speedup', series_id, campaign, rule, is_default, speedup, '1', trials, conflicts, framework, implementation, model,
        task, precision, batch_size_per_gpu, nodes, gpus, seq_len, gradient_accumulation, gpu_model, cell
    from speedup_table
    where speedup is not null and scaling = 'weak'
),
paired as (
    select
        published.source, published.revision, published.section, published.cell, published.quantity,
        ours.campaign,
        ours.series_id,
        ours.rule,
        ours.rule = published.rule is true as is_claimed,
        ours.value,
        ours.trials,
        ours.conflicts,
        ours.gpu_model,
        ours.cell as our_cell,
        coalesce(ours.campaign, '') glob published.campaign is true as own_logs
    from published
    join ours
        on ours.quantity = published.quantity
        and ours.unit = published.unit
        and (ours.is_default or ours.rule = published.rule)
    where (published.framework is null or published.framework = ours.framework or (ours.framework is null and own_logs))
        and (published.implementation is null or published.implementation = ours.implementation or (ours.implementation is null and own_logs))
        and (published.model is null or published.model = ours.model or (ours.model is null and own_logs))
        and (published.task is null or published.task = ours.task or (ours.task is null and own_logs))
        and (published.precision is null or published.precision = ours.precision or (ours.precision is null and own_logs))
        and (published.batch_size_per_gpu is null or published.batch_size_per_gpu = ours.batch_size_per_gpu
            or (ours.batch_size_per_gpu is null and own_logs))
        and (published.nodes is null or published.nodes = ours.nodes or (ours.nodes is null and own_logs))
        and (published.gpus is null or published.gpus = ours.gpus or (ours.gpus is null and own_logs))
        and (published.seq_len is null or published.seq_len = ours.seq_len or (ours.seq_len is null and own_logs))
        and (published.gradient_accumulation is null or published.gradient_accumulation = ours.gradient_accumulation
            or (ours.gradient_accumulation is null and own_logs))
    -- The rule that the document claims, and where it gives no number for a series the default one.
    qualify is_claimed or not bool_or(is_claimed) over (
        partition by
            published.source, published.revision, published.section, published.cell, published.quantity, ours.series_id
    )
)
select
    published.source,
    published.revision,
    published.section,
    published.cell,
    published.quantity,
    published.framework,
    published.implementation,
    published.model,
    published.task,
    published.precision,
    published.batch_size_per_gpu,
    published.nodes,
    published.gpus,
    published.seq_len,
    published.gradient_accumulation,
    published.gpu_model,
    published.printed,
    published.value,
    published.unit,
    paired.campaign,
    coalesce(paired.own_logs, false) as own_logs,
    paired.series_id,
    paired.gpu_model as our_gpu_model,
    paired.value as our_value,
    paired.rule,
    case when paired.is_claimed then 'claimed' when paired.rule is not null then 'default' end as rule_is,
    paired.trials,
    paired.conflicts,
    paired.value - published.value as difference,
    paired.value / nullif(published.value, 0) as ratio,
    case
        when paired.value is null then 'nothing of ours'
        when format('{:.{}f}', paired.value, digits) = format('{:.{}f}', published.value, digits) then 'rounded'
        when rounded(paired.value, 'truncate', digits) = rounded(published.value, 'round_even', digits) then 'truncated'
        when abs(difference) <= 0.005 * abs(published.value) then 'within 0.5 %'
        when paired.gpu_model <> published.gpu_model then 'other card'
        else 'other'
    end as equal,
    published.note,
    published.url,
    paired.our_cell
from (select *, len(split_part(printed, '.', 2))::integer as digits from published) as published
left join paired
    on paired.source = published.source
    and paired.revision is not distinct from published.revision
    and paired.section = published.section
    and paired.cell = published.cell
    and paired.quantity = published.quantity;

-- Leaderboard -------------------------------------------------------------------------------------------------

-- A log that was archived twice is in two campaigns. Of the series that share a run the one with most trials stands,
-- of several the first by campaign: a run is ranked once, and every value is one of speed_table. Where nobody states the
-- card there may be several of them: such series are listed, but have no rank.
create macro leaderboard_of(campaign_glob) as table
with candidate as (
    select *
    from speed_table
    where is_default and trials > 0
        -- A folder may be called runs[1], which as a glob does not match itself.
        and (campaign = campaign_glob or coalesce(campaign, '') glob campaign_glob)
),
claim as (
    select
        series_id,
        rule,
        unit,
        row_number() over (
            partition by run_id, rule, unit order by trials desc, campaign nulls last, series_id
        ) = 1 as is_home
    from (select series_id, campaign, rule, unit, trials, unnest(trial_runs) as run_id from candidate)
),
home as (
    select series_id, rule, unit
    from claim
    group by series_id, rule, unit
    having bool_and(is_home)
)
select
    candidate.model,
    candidate.task,
    candidate.precision,
    candidate.seq_len,
    candidate.gpu_model,
    candidate.gpus,
    candidate.unit,
    case when candidate.gpu_model is not null then rank() over board end as rank,
    case
        when candidate.gpu_model is not null
            then rank() over board + count(*) over (
                partition by
                    candidate.model, candidate.task, candidate.precision, candidate.seq_len, candidate.gpu_model,
                    candidate.gpus, candidate.unit, candidate.value
            ) - 1
    end as rank_last,
    candidate.series_id,
    candidate.campaign,
    candidate.framework,
    candidate.implementation,
    candidate.batch_size_per_gpu,
    candidate.value,
    candidate.rule,
    candidate.trials,
    candidate.trials_dropped,
    candidate.framework_version,
    candidate.implementation_version,
    candidate.cell,
    candidate.lowest,
    candidate.highest
from candidate
semi join home
    on home.series_id = candidate.series_id
    and home.rule = candidate.rule
    and home.unit is not distinct from candidate.unit
window board as (
    partition by
        candidate.model, candidate.task, candidate.precision, candidate.seq_len, candidate.gpu_model,
        candidate.gpus, candidate.unit
    order by case when candidate.unit = 's' then -candidate.value else candidate.value end desc
);

create view leaderboard as
select * from leaderboard_of('*');
