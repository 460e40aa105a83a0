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
comment on macro rounded is
    'rounded(value, method, digits): the value rounded as table kept.rule says; without a method, unchanged.';

-- Where a file lies, as it is shown: its path, or that of its archive and the names that lead to it from there.
create macro place_of(path, archive, member) as
    case
        when archive is null then path
        when member is null then archive
        else archive || '!/' || member
    end;
comment on macro place_of is
    'place_of(path, archive, member) of a sighting: where the file lies, as in years.zip!/2026.tar.gz!/h200/a.log.';

-- Whether a campaign is asked for: by its whole name, or by what stands behind the name of its root. A folder may be called
-- runs[1], which as a glob does not match itself.
create macro in_campaign(campaign, wanted) as
    coalesce(campaign, '') = wanted
    or coalesce(campaign, '') glob wanted
    or contains(campaign, '/') and (
        substr(campaign, strpos(campaign, '/') + 1) = wanted or substr(campaign, strpos(campaign, '/') + 1) glob wanted
    );
comment on macro in_campaign is
    'in_campaign(campaign, glob): whether the glob matches the name of a campaign, with or without the name of its '
    'root before it.';

-- A short name of a number in a table: a letter for the table and ten digits of a hash of what the number is of, so that
-- it is the same in every ledger of one key: the name of a campaign may be a pseudonym. No hexadecimal digit is
-- s, m or u: no key of a run looks like it.
create macro cell_key(letter, parts) as
    letter || left(md5(to_json(parts)::varchar), 10);
comment on macro cell_key is
    'cell_key(letter, parts): short name of a number; letter s for speed_table, m for memory_table, u for '
    'speedup_table.';

-- Whether two numbers may be one, of which one of them was printed with four digits.
create macro nearly(value, other) as abs(value - other) <= 5e-4 * greatest(abs(value), abs(other));
comment on macro nearly is
    'nearly(value, other): whether two numbers differ by at most 0.05 %, as by rounding to four digits.';

-- One place of each log that stands in the ledger: the first that the glob matches, by its path or as it is shown;
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
comment on macro table place_of_log is
    'place_of_log(path_glob): one matching place of each log (NULL if none matches), and the number of its '
    'sightings.';

-- The ways in which a file can be named: by its path, and as its place is shown.
create view kept.file_place as
select sighting_id, log_id, path as place
from main.sighting
union
select sighting_id, log_id, place_of(path, archive, member)
from main.sighting;
comment on view kept.file_place is
    'One row per way to name a file that was seen: its path, and its place as it is shown.';
comment on column kept.file_place.log_id is
    'Id of the content (table log); NULL for a file that was not read as a log.';
comment on column kept.file_place.place is 'The path, or archive!/member.';

-- Which logs and lines ----------------------------------------------------------------------------------------

-- The log that a run's numbers come from: its train log, its twin where there is no other, and its manifest where no
-- log of it is known.
create view kept.run_source as
select run_id, log_id, segment, role, first_line, last_line
from main.run_log
where role in ('train', 'duplicate_stream', 'manifest')
qualify role = 'train'
    or not bool_or(role = 'train') over (partition by run_id)
    and (role = 'duplicate_stream' or not bool_or(role = 'duplicate_stream') over (partition by run_id));
comment on view kept.run_source is
    'One row per run and part of the log that its numbers come from: its train log, or its JSON twin where there is'
    ' no other. Helper of other views.';

create view kept.run_log_place as
select run_id, one.log_id, place_of(path, archive, member) as place
from (select run_id, log_id, min(sighting_id) as sighting_id from main.run_log group by all) as one
join main.sighting using (sighting_id);
comment on view kept.run_log_place is 'One row per run and log of it: one place where the log was seen.';
comment on column kept.run_log_place.place is 'The path, or archive!/member.';

-- Three branches instead of one left join, because a telemetry log is claimed device by device:
-- an "or" in the condition of an outer join would compare every record with every claim.
create view kept.measurement_all as
with whole as (
    select run_id, log_id, log.load_number, role, first_line, last_line
    from main.run_log
    join main.log using (log_id)
    where role <> 'telemetry' or devices is null
),
by_device as (
    -- A telemetry record without a device counts for every claim, hence the NULL in the list.
    select distinct
        run_id, log_id, log.load_number, role, first_line, last_line, unnest(list_append(devices, null)) as device
    from main.run_log
    join main.log using (log_id)
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
comment on view kept.measurement_all is
    'One row per value of every record, also of duplicate streams and of older contents of logs that have grown. '
    'Ask measurement unless you look for these.';
comment on column kept.measurement_all.run_id is 'Id of the run; NULL where no run claims the log.';
comment on column kept.measurement_all.role is 'What the log is to the run; NULL where no run claims it.';
comment on column kept.measurement_all.phase is
    'train unless the format says validation or inference; NULL for telemetry.';
comment on column kept.measurement_all.name is
    'Name of the value as the log spells it, such as step_loss or memory.used.';
comment on column kept.measurement_all.value is 'Value, scaled to unit; NULL if it is text.';

create view measurement as
select measurement_all.*
from kept.measurement_all
where (
        role is null
        or role not in ('duplicate_stream', 'copy', 'rank')
        or role = 'duplicate_stream' and run_id in (select run_id from kept.run_source where role = 'duplicate_stream')
        or (log_id, byte_offset) in (select (log_id, byte_offset) from kept.stream_only)
    )
    -- The older contents of a log that has grown.
    and log_id not in (
        select log_id from main.sighting where log_id is not null group by log_id having bool_and(status = 'superseded')
    );
comment on view measurement is
    'One row per value that a log holds: steps, summaries, parameters, events, telemetry, kernels. Left out are the '
    'records of a duplicate stream that the train log has too, the older contents of a log that has grown, copies, and '
    'logs of other ranks. Filter by run_id, name or quantity.';
comment on column measurement.run_id is 'Id of the run; NULL where no run claims the log.';
comment on column measurement.role is 'What the log is to the run; NULL where no run claims it.';
comment on column measurement.phase is 'train unless the format says validation or inference; NULL for telemetry.';
comment on column measurement.name is 'Name of the value as the log spells it, such as step_loss or memory.used.';
comment on column measurement.value is 'Value, scaled to unit; NULL if it is text.';

-- The records that a run's speed is computed from. part 0 is the source log, part 1 what only its twin has.
create view kept.run_record as
select run_source.run_id, 0 as part, record.* exclude (load_number)
from kept.record
join main.log on record.log_id = log.log_id and record.load_number = log.load_number
join kept.run_source
    on record.log_id = run_source.log_id and record.line between run_source.first_line and run_source.last_line
union all
select run_log.run_id, 1 as part, record.* exclude (load_number)
from kept.record
semi join kept.stream_only on record.log_id = stream_only.log_id and record.byte_offset = stream_only.byte_offset
join main.log on record.log_id = log.log_id and record.load_number = log.load_number
join main.run_log
    on record.log_id = run_log.log_id and record.line between run_log.first_line and run_log.last_line
semi join kept.run_source on run_log.run_id = run_source.run_id and run_source.role = 'train'
where run_log.role = 'duplicate_stream';
comment on view kept.run_record is
    'One row per record that a run''s speed and loss are computed from. Helper of run_speed and loss_curve.';
comment on column kept.run_record.part is
    '0: record of the run''s source log; 1: record that only its duplicate stream has.';
comment on column kept.run_record."values" is 'Values in the order of shape.ordinal.';
comment on column kept.run_record.texts is 'Values that are no number; NULL if all are numbers.';

-- Campaigns and series ----------------------------------------------------------------------------------------

-- Of a run whose manifests name campaigns, these count; --campaign-name beats them.
create view kept.run_campaign as
with named as (
    select distinct run_id, value as campaign
    from main.fact
    where name = 'campaign' and source = 'manifest'
)
select distinct
    source.run_id,
    case when sighting.campaign_source = 'option' then sighting.campaign else coalesce(named.campaign, sighting.campaign) end
        as campaign
from (
    select run_id, log_id from kept.run_source
    union all
    select run_id, log_id from main.run_log where role = 'copy'
) as source
join main.sighting using (log_id)
left join named using (run_id)
where sighting.status in ('loaded', 'duplicate');
comment on view kept.run_campaign is
    'One row per run and campaign that it belongs to: the one that its manifest names, else one per place in which '
    'its log was seen.';

-- When a run was: as its log or its manifest says, else the earliest time of a file or an archive's member that holds
-- its log. Nothing else in the ledger depends on a file's time.
create view kept.run_time as
with seen as (
    select run_source.run_id, min(sighting.modified_at) as modified_at,
        arg_min(if(sighting.archive is null, 'file', 'member'), (sighting.modified_at, sighting.archive is null)) as time_source
    from kept.run_source
    join main.sighting using (log_id)
    where sighting.status in ('loaded', 'duplicate') and sighting.modified_at is not null
    group by run_source.run_id
)
select
    run.run_id,
    if(run.time_source is null, seen.modified_at, run.started_at) as started_at,
    run.ended_at,
    coalesce(run.time_source, seen.time_source) as time_source
from main.run
left join seen using (run_id);
comment on view kept.run_time is 'One row per run: when it was, and by whose clock.';
comment on column kept.run_time.started_at is
    'As run.started_at; where neither log nor manifest says it, the earliest time of a file with its log, in UTC.';
comment on column kept.run_time.ended_at is 'As run.ended_at: no file says it.';
comment on column kept.run_time.time_source is
    'Whose time it is: log, manifest, member (of an archive) or file. The last two are no more than the time of the'
    ' file.';

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
from main.run
join excluded using (run_key)
group by run.run_id, run.run_key;
comment on view kept.excluded_run is 'One row per run that an exclusion leaves out, also under an older key.';
comment on column kept.excluded_run.reason is 'Why; several reasons where several of its keys are excluded.';
comment on column kept.excluded_run.excluded_at is 'When last.';
comment on column kept.excluded_run.excluded_by is 'By whom, where that was said.';

-- Speed -------------------------------------------------------------------------------------------------------

-- The two ways to say how fast a step was: so much a second, or so many seconds. Each is the other's reciprocal.
create macro per_second(value, steps, quantity) as
    case when quantity = 'throughput' then value else steps / value end;
comment on macro per_second is
    'Steps or samples per second, from a printed speed or from the time of these steps.';

-- MLPerf's mean: without the `fewest` lowest and as many highest, of which those that gave no number are some already.
create macro olympic_mean(numbers, fewest, without) as
    case
        when without <= fewest
            then list_avg(list_slice(list_sort(numbers), fewest + 1, len(numbers) - (fewest - without)))
    end;
comment on macro olympic_mean is
    'olympic_mean(numbers, fewest, without): the mean without the `fewest` lowest and highest values. `without` runs '
    'have no number and count as highest; NULL if without > fewest.';

-- A format's default rule, and what stands in for it where it gives no number.
create view kept.default_rule as
with recursive chain(format, rule, place) as (
    select format, default_rule, 1
    from kept.format
    where default_rule is not null
    union
    select chain.format, rule.fallback, chain.place + 1
    from chain
    join kept.rule using (rule)
    where rule.fallback is not null and chain.place < 10
)
select format, rule, min(place) as place
from chain
group by format, rule;
comment on view kept.default_rule is
    'One row per format and rule that may be its default: the one that it names, and the fallbacks behind it.';
comment on column kept.default_rule.place is '1: named by the format; 2 and more: fallback of the rule before it.';

create view run_speed as
with answered as (
    select
        speed.* exclude (value, status, reason),
        if(contradicted_speed.run_id is null, speed.value, null) as value,
        if(contradicted_speed.run_id is null, speed.status, 'ambiguous') as status,
        coalesce(contradicted_speed.reason, speed.reason) as reason
    from kept.speed
    left join kept.contradicted_speed
        on contradicted_speed.run_id = speed.run_id
        and contradicted_speed.rule = speed.rule
        and contradicted_speed.phase is not distinct from speed.phase
        and contradicted_speed.unit = speed.unit
    union all by name
    select
        run_id,
        rule,
        'train' as phase,
        0 as records_used,
        0 as records_skipped,
        'too_few_records' as status,
        'its records have nothing that ' || rule || ' reads' as reason,
        false as is_window_whole
    from kept.silent_run
),
-- What is the same under all rules, once for each run.
asked as (
    select
        run.run_id,
        run.case_id,
        format.default_rule,
        if(run.status in ('ok', 'unknown'), null, run.status) as status,
        run.reason,
        -- A run that was cut off after all that the rule asks for counts, unless its manifest says that it failed.
        run.status = 'truncated' and coalesce(run.exit_code, 0) = 0 as may_count
    from run
    join kept.run_format using (run_id)
    left join kept.format using (format)
)
select
    answered.run_id,
    asked.case_id,
    answered.rule,
    -- If none of the chain gives a number, the first of it.
    coalesce(answered.rule = coalesce(run_fallback.rule, asked.default_rule), false) as is_default,
    answered.phase,
    answered.value,
    answered.unit,
    answered.records_used,
    answered.records_skipped,
    coalesce(asked.status, answered.status) as status,
    case when asked.status is null then answered.reason else asked.reason end as reason,
    answered.phase = 'train'
    and answered.status = 'ok'
    and (asked.status is null or (asked.may_count and coalesce(answered.is_window_whole, false))) as is_trial
from answered
join asked using (run_id)
left join kept.run_fallback
    on run_fallback.run_id = answered.run_id and run_fallback.phase is not distinct from answered.phase;
comment on view run_speed is
    'One row per run, rule, phase and unit: the global speed of the run under the rule, or that of one GPU where '
    'rule.per says so. Filter by is_default for one speed a run.';
comment on column run_speed.is_default is
    'Whether it is the speed to show: by the default rule of the log''s format or, where that gives no number, the '
    'first fallback that does.';
comment on column run_speed.value is
    'Speed over all GPUs, or of one where rule.per says so; also of a failed run, where there is one; NULL if none '
    'can be computed.';
comment on column run_speed.records_skipped is
    'Number of records that the rule leaves out, or that are unusable (not a number; no time between two steps).';
comment on column run_speed.status is
    'ok, too_few_records, missing_fact, ambiguous (several throughputs that differ), or the run''s status.';
comment on column run_speed.is_trial is
    'Whether the value counts in speed_table: the run is ok or unknown, or was cut off after all that the rule asks'
    ' for.';

-- A series with the columns of its case: the tables of series show these columns.
create view kept.series_case as
select
    series.series_id,
    series.campaign,
    bench_case.*,
    series.system,
    series.gpu_model,
    series.gpu_memory_mib,
    series.framework_version,
    series.implementation_version,
    series.variant,
    series.mixed
from main.series
join main.bench_case using (case_id);
comment on view kept.series_case is
    'One row per series: what was run, and on which system, GPU and versions. Helper of speed_table and the other '
    'tables.';

create view speed_table as
select
    series_case.* exclude (gpu_memory_mib, framework_version, implementation_version, variant, mixed),
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
    series_case.gpu_memory_mib,
    series_case.framework_version,
    series_case.implementation_version,
    series_case.variant,
    series_case.mixed,
    cell.trial_runs,
    cell.cell
from kept.cell
join kept.series_case using (series_id);
comment on view speed_table is
    'One row per series, rule and unit: the speed over its trials. Filter by is_default for one speed a series. '
    '`bench report speed` prints it.';
comment on column speed_table.is_default is
    'Whether it is the speed to show: by the default rule of the logs'' format or, where that gives the series no '
    'number, the first fallback that does.';
comment on column speed_table.value is
    'Speed over all GPUs: the rule''s statistic over the trials; NULL if there is no trial.';
comment on column speed_table.status is
    'ok if there is a trial, else the most frequent status of its runs; too_few_trials where the rule makes no '
    'number of so few; too_few_runs where a suite demands more runs of a submission.';
comment on column speed_table.trial_runs is
    'Ids of the runs that the value is made of, in the order of their trial numbers.';

-- What a number is made of -------------------------------------------------------------------------------------

create view kept.trial_table as
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
    from kept.run_source
    join main.sighting using (log_id)
    where sighting.status in ('loaded', 'duplicate')
    group by run_source.run_id, sighting.campaign
),
-- The same log can lie in two campaigns: a number leads to its own.
placed as (
    select run_campaign.run_id, run_campaign.campaign, coalesce(min(here.place), min(seen.place)) as seen
    from kept.run_campaign
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
    speed_table.system,
    speed_table.gpu_model,
    speed_table.rule,
    speed_table.is_default,
    speed_table.value as series_value,
    series_run.trial,
    run.run_id,
    run.run_key,
    run_speed.value,
    speed_table.unit,
    run_speed.is_trial as counts,
    run_speed.records_used,
    run_speed.records_skipped,
    run_speed.status,
    run_speed.reason,
    placed.seen.place as place,
    placed.seen.first_line as first_line,
    placed.seen.last_line as last_line
from main.speed_table
join kept.series_run using (series_id)
join main.run_speed
    on run_speed.run_id = series_run.run_id and run_speed.rule = speed_table.rule and run_speed.phase = 'train'
join main.run on run.run_id = series_run.run_id
left join placed on placed.run_id = run.run_id and placed.campaign is not distinct from speed_table.campaign
where run_speed.unit is not distinct from speed_table.unit or run_speed.value is null
-- Of a run, the lack of a number in another unit is listed only where it has nothing in the cell's own.
qualify row_number() over (
    partition by speed_table.cell, run_speed.run_id
    order by run_speed.unit is distinct from speed_table.unit, run_speed.unit
) = 1;
comment on view kept.trial_table is
    'One row per number of speed_table and run of its series: the run''s own speed, whether it counts, and where '
    'its log is.';
comment on column kept.trial_table.cell is 'Short name of the number of speed_table that it is a trial of.';
comment on column kept.trial_table.is_default is 'Whether the number is the series'' by its default rule.';
comment on column kept.trial_table.series_value is 'The number: the speed of the series.';
comment on column kept.trial_table.trial is 'Number of the trial in its series.';
comment on column kept.trial_table.run_key is 'Key of the run, which commands show and take.';
comment on column kept.trial_table.value is 'Speed of this run alone; NULL if it has none.';
comment on column kept.trial_table.unit is 'Unit of both.';
comment on column kept.trial_table.counts is 'Whether the number is made of it: a run that failed is not.';
comment on column kept.trial_table.records_used is 'Records that the speed is computed from.';
comment on column kept.trial_table.records_skipped is 'Records of the kind that the rule left out.';
comment on column kept.trial_table.status is 'ok, or why there is no speed, as in run_speed.';
comment on column kept.trial_table.reason is 'The same in words.';
comment on column kept.trial_table.place is 'Where its log lies: the first place, as it is shown.';
comment on column kept.trial_table.first_line is 'First line of the log that is of this run.';
comment on column kept.trial_table.last_line is 'Last line of the log that is of this run.';

-- Memory ------------------------------------------------------------------------------------------------------

create view memory_table as
with trial as (
    select
        series_run.series_id,
        run_memory.run_id,
        run_memory.definition,
        run.status,
        run.status in ('ok', 'unknown') as is_trial,
        max(run_memory.value_mib) as value_mib
    from kept.series_run
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
    series_case.* exclude (gpu_memory_mib, framework_version, implementation_version, variant, mixed),
    cell.definition,
    cell.value_mib,
    series_case.gpu_memory_mib,
    series_case.gpu_memory_mib - cell.value_mib as headroom_mib,
    cell.trials,
    cell.trials_dropped,
    cell.lowest_mib,
    cell.highest_mib,
    cell.status,
    series_case.framework_version,
    series_case.implementation_version,
    series_case.variant,
    series_case.mixed,
    cell_key('m', [series_case.series_id::varchar, cell.definition]) as cell
from cell
join kept.series_case using (series_id);
comment on view memory_table is
    'One row per series and definition of memory: the median over its trials of the fullest device. `bench report '
    'memory` prints it.';
comment on column memory_table.value_mib is
    'Median over the trials of the highest memory of the fullest device, in MiB; NULL if no run of the series ended'
    ' well.';
comment on column memory_table.headroom_mib is 'gpu_memory_mib minus value_mib.';
comment on column memory_table.lowest_mib is 'Lowest of the trials in MiB.';
comment on column memory_table.highest_mib is 'Highest of the trials in MiB.';
comment on column memory_table.status is 'ok if there is a trial, else the status of its runs, the first by name.';

-- Speed-up ----------------------------------------------------------------------------------------------------

-- Seconds are the better the fewer.
create macro faster(value, base, unit) as
    nullif(case when unit in ('s', 'min') then base / value else value / base end, 'inf');
comment on macro faster is
    'How many times as fast as a base: value over base, or base over value if both are seconds or minutes; NULL if '
    'the result is too large for a float.';

-- Short name of a speed-up, from that of its speed.
create macro speedup_key(cell, scaling) as
    case scaling when 'weak' then 'u' || cell[2:] else cell_key('u', [cell, scaling]) end;
comment on macro speedup_key is
    'speedup_key(cell, scaling): short name of a speed-up, made from that of its speed; for weak scaling with the '
    'same digits.';

create view speedup_table as
with compared as (
    select
        speed_table.* exclude (gpu_memory_mib, framework_version, implementation_version, variant, mixed, trial_runs, cell),
        speedup.* exclude (speed_cell, series_id, cell),
        -- Of which nothing is kept: a number of known GPUs is its own base, anything else has none.
        speedup.speed_cell is null and speed_table.value is not null and speed_table.gpus is not null as is_base,
        speed_table.gpu_memory_mib,
        speed_table.framework_version,
        speed_table.implementation_version,
        speed_table.variant,
        speed_table.mixed,
        coalesce(speedup.cell, speedup_key(speed_table.cell, 'weak')) as cell
    from speed_table
    left join kept.speedup on speedup.speed_cell = speed_table.cell
)
select
    * exclude (is_base) replace (
        coalesce(scaling, 'weak') as scaling,
        case when is_base then series_id else base_series_id end as base_series_id,
        case when is_base then gpus else base_gpus end as base_gpus,
        case when is_base then value else base_value end as base_value,
        case when is_base then value / value else speedup end as speedup,
        case when is_base then value / value else efficiency end as efficiency
    )
from compared;
comment on view speedup_table is
    'One row per series, rule, unit and kind of scaling: the speed over that of the base, the same case on the '
    'fewest GPUs. NULL where there is no base, or several are equally near. `bench report speedup` prints it.';
comment on column speedup_table.is_default is 'Whether the rule is the default of the log''s format.';
comment on column speedup_table.value is 'Speed over all GPUs.';
comment on column speedup_table.status is 'As in speed_table.';
comment on column speedup_table.scaling is
    'weak: equal batch size per GPU; strong: equal global batch size and another batch size per GPU.';
comment on column speedup_table.base_series_id is 'Series that it is compared with; the base is its own.';
comment on column speedup_table.base_gpus is 'GPUs of the base.';
comment on column speedup_table.base_value is 'Speed of the base.';
comment on column speedup_table.speedup is 'value / base_value.';
comment on column speedup_table.efficiency is 'speedup * base_gpus / gpus: 1 is perfect scaling; not clipped.';

-- What went wrong, and what fits ------------------------------------------------------------------------------

create view kept.failure_table as
with last_words as (
    select run_log.run_id, run_log.log_id, segment.event_line as line, min(segment.event_text) as event_text
    from main.run_log
    join kept.segment using (log_id, segment)
    where segment.event_line is not null
    group by all
)
select
    run.run_id,
    run_campaign.campaign,
    bench_case.*,
    run.status,
    run.reason,
    run.status_log_id as log_id,
    run.status_line as line,
    coalesce(last_words.event_text, run.reason) as text,
    environment.system,
    environment.gpu_model,
    run.run_key,
    run.steps_done,
    run.steps_planned,
    run.exit_code
from main.run
anti join kept.excluded_run using (run_id)
left join kept.run_campaign using (run_id)
join main.bench_case using (case_id)
left join main.environment using (environment_id)
left join last_words
    on last_words.run_id = run.run_id
    and last_words.log_id = run.status_log_id
    and last_words.line = run.status_line
where run.status not in ('ok', 'unknown');
comment on view kept.failure_table is
    'One row per campaign and run that ended neither ok nor unknown, with the line that says so.';
comment on column kept.failure_table.reason is 'Why, in words.';
comment on column kept.failure_table.log_id is 'Log that holds the line which decided the status.';
comment on column kept.failure_table.line is 'That line.';
comment on column kept.failure_table.text is 'What it says; else the reason.';
comment on column kept.failure_table.steps_done is 'Steps that it did.';

-- The global batch and its accumulation follow from the batch size: they are no part of what a row is of. A run that
-- was out of memory early often has no telemetry to tell its card by: where nothing of its case ran on an unstated card,
-- it stands with the only card of its kin.
create view kept.max_batch_table as
with spoken as (
    select
        series.campaign,
        series.system,
        series.gpu_model as stated_model,
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
        bench_case.batch_size_per_gpu,
        run.status = 'oom' as is_oom,
        bool_and(is_oom) over (
            partition by
                series.campaign, series.system, series.gpu_model, bench_case.framework, bench_case.implementation, bench_case.model,
                bench_case.task, bench_case.precision, bench_case.nodes, bench_case.gpus, bench_case.seq_len,
                bench_case.options
        ) as none_ran,
        min(series.gpu_model) over kin as first_model,
        max(series.gpu_model) over kin as last_model
    from kept.series_run
    join main.series using (series_id)
    join main.run on run.run_id = series_run.run_id
    join main.bench_case on bench_case.case_id = run.case_id
    where bench_case.batch_size_per_gpu is not null and run.status in ('ok', 'unknown', 'oom')
    window kin as (
        partition by
            series.campaign, series.system, bench_case.framework, bench_case.implementation, bench_case.model,
            bench_case.task
    )
),
placed as (
    select
        *,
        case when stated_model is null and none_ran and first_model = last_model then first_model else stated_model end
            as gpu_model
    from spoken
)
select
    campaign, system, gpu_model, framework, implementation, model, task, precision, nodes, gpus, seq_len,
    case when min(gradient_accumulation) = max(gradient_accumulation) then min(gradient_accumulation) end
        as gradient_accumulation,
    options,
    max(batch_size_per_gpu) filter (where not is_oom) as largest_ok,
    min(batch_size_per_gpu) filter (where is_oom) as smallest_oom,
    count(*) as runs,
    list_sort(list(distinct batch_size_per_gpu) filter (where not is_oom)) as sizes_ok,
    list_sort(list(distinct batch_size_per_gpu) filter (where is_oom)) as sizes_oom
from placed
group by campaign, system, gpu_model, framework, implementation, model, task, precision, nodes, gpus, seq_len, options;
comment on view kept.max_batch_table is
    'One row per campaign, system, GPU model and case without its batch size: the largest batch size that ran and the '
    'smallest that ran out of memory.';
comment on column kept.max_batch_table.gpu_model is
    'GPU model as NVIDIA names it, without its prefix, such as V100-SXM2-16GB. A case of which nothing ran and '
    'whose card is not stated stands with the only card of its campaign, program, model and task.';
comment on column kept.max_batch_table.gradient_accumulation is
    'Forward passes per optimizer step, where all that state it agree. It follows from the batch size, and is no '
    'part of what the row is of.';
comment on column kept.max_batch_table.largest_ok is 'Largest batch size per GPU that ran.';
comment on column kept.max_batch_table.smallest_oom is 'Smallest batch size per GPU that ran out of memory.';
comment on column kept.max_batch_table.runs is 'Number of runs that speak.';
comment on column kept.max_batch_table.sizes_ok is 'Every batch size per GPU that ran, ascending; NULL if none did.';
comment on column kept.max_batch_table.sizes_oom is
    'Every batch size per GPU that ran out of memory, ascending; NULL if none did.';

-- Ours against what others published --------------------------------------------------------------------------

-- A column that a published number states must be the same in ours; one that it does not state is no condition. In the
-- document's own logs what they do not say is no contradiction. The card is shown, not asked for.
create view kept.published_table as
with family as (
    select series_id, min(environment.gpu_family) as gpu_family
    from kept.series_member
    join main.environment using (environment_id)
    group by series_id
    having min(environment.gpu_family) = max(environment.gpu_family)
),
-- The folders that hold the logs of a series: of a log that lies in several campaigns those of its own.
place as (
    select distinct series_id, folder_path || '/' as folder
    from (
        select
            member.series_id,
            sighting.folder_path,
            sighting.campaign is not distinct from member.campaign as is_here,
            bool_or(is_here) over (partition by member.series_id, member.run_id) as is_anywhere_here
        from kept.series_member as member
        join kept.run_source using (run_id)
        join main.sighting using (log_id)
        where sighting.status in ('loaded', 'duplicate')
    )
    where is_here or not is_anywhere_here
),
own as (
    select distinct logs, series_id
    from (select distinct logs from main.published) as document
    join place on place.folder glob document.logs
),
ours as (
    select
        'speed' as quantity, series_id, campaign, rule, is_default, value, unit, trials, conflicts, framework, implementation, model,
        task, precision, batch_size_per_gpu, nodes, gpus, seq_len, gradient_accumulation, gpu_model, cell
    from main.speed_table
    where value is not null
    union all
    select
        'speedup', series_id, campaign, rule, is_default, speedup, '1', trials, conflicts, framework, implementation, model,
        task, precision, batch_size_per_gpu, nodes, gpus, seq_len, gradient_accumulation, gpu_model, cell
    from main.speedup_table
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
        coalesce(ours.gpu_model, family.gpu_family) as gpu_model,
        ours.cell as our_cell,
        own.series_id is not null as own_logs
    from (from main.published where verdict is null) as published
    join ours
        on ours.quantity = published.quantity
        and ours.unit = published.unit
        and (ours.is_default or ours.rule = published.rule)
    left join family on family.series_id = ours.series_id
    left join own on own.series_id = ours.series_id and own.logs = published.logs
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
        -- A family, such as V100, is the beginning of a model.
        when not starts_with(translate(published.gpu_model, ' ', '-') || '-', translate(paired.gpu_model, ' ', '-') || '-')
            then 'other card'
        else 'other'
    end as equal,
    published.note,
    published.url,
    paired.our_cell
from (
    select *, len(split_part(printed, '.', 2))::integer as digits from main.published where verdict is null
) as published
left join paired
    on paired.source = published.source
    and paired.revision is not distinct from published.revision
    and paired.section = published.section
    and paired.cell = published.cell
    and paired.quantity = published.quantity;
comment on view kept.published_table is
    'One row per published number and series of ours of the same case; one without ours where there is none. A case'
    ' column that the document does not state is no condition. Filter by own_logs or campaign: the same case may be'
    ' in several. Without the numbers that bench reproduce read, which have a verdict.';
comment on column kept.published_table.source is 'Document that states it (table published).';
comment on column kept.published_table.cell is 'Row and column in that table, as what they say of the case.';
comment on column kept.published_table.quantity is 'speed or speedup.';
comment on column kept.published_table.framework is
    'pytorch, paddlepaddle, tensorflow, mxnet, oneflow. This and the columns to gradient_accumulation are the '
    'documents; NULL: not stated.';
comment on column kept.published_table.gradient_accumulation is 'Passes per optimizer step.';
comment on column kept.published_table.gpu_model is
    'GPU model that the document states. It is no condition: compare it with our_gpu_model.';
comment on column kept.published_table.value is 'The same as a number.';
comment on column kept.published_table.unit is 'Unit of both numbers; 1 for a speed-up.';
comment on column kept.published_table.campaign is
    'Campaign of ours; NULL for runs that are in none, and where there is nothing of ours.';
comment on column kept.published_table.own_logs is 'Whether a log of that series lies in a folder of the documents own logs.';
comment on column kept.published_table.series_id is 'Id of our series (table series).';
comment on column kept.published_table.our_gpu_model is
    'GPU model of our series, or where its logs do not say it their GPU family, such as V100; NULL if they say '
    'neither.';
comment on column kept.published_table.our_value is 'Our number, unrounded but by its rule.';
comment on column kept.published_table.rule is 'Rule that our number is by.';
comment on column kept.published_table.rule_is is
    'claimed: the rule that the document claims; default: our own, since it claims none or its rule gives no '
    'number.';
comment on column kept.published_table.trials is 'Number of runs that our number is made of.';
comment on column kept.published_table.conflicts is 'Contradictions of these runs (table conflict).';
comment on column kept.published_table.difference is 'Ours less theirs.';
comment on column kept.published_table.ratio is 'Ours over theirs.';
comment on column kept.published_table.equal is
    'How near: rounded (equal at the printed digits), truncated (equal where digits were cut off), within 0.5 %, '
    'other card (both are known, ours at least by its family, and differ), other, or nothing of ours.';
comment on column kept.published_table.note is 'What is known to be wrong with the published number; NULL for nothing.';
comment on column kept.published_table.url is 'Address of the document.';
comment on column kept.published_table.our_cell is
    'Short name of our number: bench explain CELL says where it comes from.';

-- Contradictions that no single fact shows ---------------------------------------------------------------------

-- Without its folders, and without the endings that packing adds.
create view kept.log_name as
select
    log_id,
    regexp_replace(split_part(coalesce(member, path), '/', -1), '\.(gz|bz2|xz|zst)$', '') as name,
    min(place_of(path, archive, member)) as place,
    count(*) over (partition by log_id) as names
from main.sighting
where status in ('loaded', 'duplicate', 'unchanged')
group by log_id, regexp_replace(split_part(coalesce(member, path), '/', -1), '\.(gz|bz2|xz|zst)$', '');
comment on view kept.log_name is
    'One row per content and file name under which it was seen: a content with several names is the log of one of '
    'them.';
comment on column kept.log_name.name is 'File name, without folders and without the endings that packing adds.';
comment on column kept.log_name.place is 'First place where it was seen so.';
comment on column kept.log_name.names is 'Number of names of the content.';

-- A log that says of neither number that it is of one GPU.
create view kept.multiplied_speed as
with printed as (
    select run_id, log_id, name, scope, quantity, unit, min(line) as line, median(value) as speed
    from main.measurement
    where phase = 'train' and unit in ('samples/s', 'tokens/s') and scope is distinct from 'gpu' and value > 0
    group by all
)
select
    run_id, bench_case.gpus, high.log_id,
    low.name, low.speed as value, low.line,
    high.name as higher_name, high.speed as higher_value, high.line as higher_line
from printed as low
join printed as high using (run_id, unit)
join main.run using (run_id)
join main.bench_case using (case_id)
-- Within a thousandth: both numbers were made of the same, by two ways of averaging.
where bench_case.gpus > 1 and low.quantity = 'throughput' and low.scope = 'global'
    and abs(high.speed / (low.speed * bench_case.gpus) - 1) < 0.001;
comment on view kept.multiplied_speed is
    'One row per pair of speeds that a run prints, both as speeds of all, of which one is the other times its GPUs:'
    ' it was multiplied again.';
comment on column kept.multiplied_speed.log_id is 'Id of the log (table log) that prints the higher one.';
comment on column kept.multiplied_speed.name is 'Name of the lower value as the log spells it.';
comment on column kept.multiplied_speed.value is 'Median of the lower value.';
comment on column kept.multiplied_speed.line is 'First line that prints it.';
comment on column kept.multiplied_speed.higher_name is 'Name of the higher value as the log spells it.';
comment on column kept.multiplied_speed.higher_value is 'Median of the higher value.';
comment on column kept.multiplied_speed.higher_line is 'First line that prints it.';

-- Leaderboard -------------------------------------------------------------------------------------------------

-- Models that differ in their size only.
create macro model_family(model) as regexp_replace(model, '_[^_]*$', '');
comment on macro model_family is
    'model_family(model): the name without its last part: bert of bert_base, transformer_xl of transformer_xl_large.';

-- A log that was archived twice is in two campaigns. Of series that share a run the one with most trials stands, of
-- several the first by campaign, and drops the others: no run is ranked twice, and every value is one of speed_table. Where nobody states the
-- card there may be several of them: such series compete on their own system, or else in their own campaign.
create macro leaderboard_of(campaign_glob) as table
with recursive sequence_family as (
    -- bert_large says that bert_base has sequences too. No ResNet states a length, and what transformer_xl_large states
    -- says nothing of transformer_big, whose batches are tokens.
    select distinct model_family(model) as family
    from bench_case
    where seq_len is not null
),
-- A model of which no run states a task has one: what it was made for.
task_model as (
    select distinct model
    from bench_case
    where task is not null
),
candidate as materialized (
    select
        *,
        -- Where nobody states the GPU, runs of one system compete, or else those that were made together.
        case when gpu_model is null then coalesce(system, campaign) end as place_of_gpu,
        -- Not known to be equal work is not ranked.
        list_filter(
            [
                if(model is null, 'model', null),
                if(task is null and model in (select model from task_model where model is not null), 'task', null),
                if(precision is null, 'precision', null),
                if(
                    seq_len is null
                    and model_family(model) in (select family from sequence_family where family is not null),
                    'seq_len',
                    null
                ),
                if(gpu_model is null and place_of_gpu is null, 'gpu_model', null),
                if(gpus is null, 'gpus', null),
                if(unit is null, 'unit', null)
            ],
            lambda name: name is not null
        ) as lacks
    from speed_table
    where is_default and trials > 0 and value is not null
        -- The speed of one GPU is not ranked among those of all.
        and rule not in (select per_rule.rule from kept.rule as per_rule where per_rule.per is not null)
        and in_campaign(campaign, campaign_glob)
),
claim as (
    select cell, place, rule, unit, unnest(trial_runs) as run_id
    from (select *, row_number() over (order by trials desc, campaign nulls last, series_id, rule, unit) as place from candidate)
),
rival as materialized (
    select distinct worse.cell, better.cell as better
    from claim as worse
    join claim as better
        on better.run_id = worse.run_id
        and better.rule = worse.rule
        and better.unit is not distinct from worse.unit
        and better.place < worse.place
),
-- A series stands once each that goes before it is known not to; one of those that does drops it. The first that is not
-- decided always can be, so that every step decides some.
step as (
    select cell, 1 as nth, case when cell not in (select cell from rival) then true end as stands
    from candidate
    union all
    select
        now.cell,
        any_value(now.nth) + 1,
        coalesce(
            any_value(now.stands),
            case
                when bool_or(before.stands) then false
                when count(*) = count(*) filter (where not before.stands) then true
            end
        )
    from step as now
    -- All rows of a step have one number: while one of them is undecided, they are all looked at again.
    semi join (select nth from step where stands is null) as undecided on undecided.nth = now.nth
    left join rival on rival.cell = now.cell
    left join step as before on before.cell = rival.better
    group by now.cell
),
home as (
    select cell
    from step
    where stands
)
select
    candidate.model,
    candidate.task,
    candidate.precision,
    candidate.seq_len,
    candidate.gpu_model,
    candidate.gpus,
    candidate.unit,
    case when len(candidate.lacks) = 0 then rank() over board end as rank,
    case
        when len(candidate.lacks) = 0
            then rank() over board + count(*) over (board range between current row and current row) - 1
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
    candidate.system,
    candidate.framework_version,
    candidate.implementation_version,
    candidate.variant,
    candidate.cell,
    candidate.lowest,
    candidate.highest,
    case when len(candidate.lacks) > 0 then array_to_string(candidate.lacks, ', ') end as unranked
from candidate
semi join home using (cell)
window board as (
    partition by
        candidate.model, candidate.task, candidate.precision, candidate.seq_len, candidate.gpu_model,
        candidate.gpus, candidate.unit, candidate.place_of_gpu
    order by case when candidate.unit in ('s', 'min') then -candidate.value else candidate.value end desc
);
comment on macro table leaderboard_of is 'leaderboard_of(campaign_glob): the leaderboard of the campaigns that match.';

create view leaderboard as
select * from leaderboard_of('*');
comment on view leaderboard is
    'One row per series that has a speed by its default rule, ranked among equal model, task, precision, sequence '
    'length, GPU model, number of GPUs and unit. All campaigns, a run once. leaderboard_of(glob) ranks some '
    'campaigns only.';
comment on column leaderboard.rank is
    'Rank by speed, from 1; NULL where the work is not known to be equal: unranked says what is missing. A series '
    'without a GPU model is ranked on its own system, or else in its own campaign.';
comment on column leaderboard.unranked is
    'What is not stated, so that there is no rank: model, precision, gpus or unit; task or seq_len of a model that '
    'has one; gpu_model without system and campaign. NULL for a ranked series.';
comment on column leaderboard.rank_last is 'Last rank of the tie; equal to rank without one.';
comment on column leaderboard.value is 'Speed over all GPUs.';
comment on column leaderboard.cell is
    'Short name of this number, that of speed_table: bench explain CELL says where it comes from.';
