-- Logs of the ranks of one job, recognised by their names: the log of the lowest rank with steps is the run's log.
-- Trials may have such names too. So rank 0 must be present, and times, steps, facts and the number of GPUs must not
-- contradict. If the logs have no times, each rank up to the last one must be present, and no setting may differ.
-- reads: live_segment, active_sighting, log, kept.log_fact, kept.sighting_fact, listed_log, kept.record, kept.shape,
--   kept.setting_word
-- makes: rank_pair, copy_of, live_segment

create or replace temp table rank_pair as
with stated as (
    select log_id, line, value from kept.log_fact where name = 'gpus'
    union all
    select log_id, null, value from kept.sighting_fact join active_sighting using (sighting_id) where name = 'gpus'
),
gpus as (
    select s.log_id, s.segment, min(try_cast(value as bigint)) as gpus
    from live_segment as s
    join stated on stated.log_id = s.log_id and (line between first_line and last_line) is not false
    group by all
),
placed as (
    select job, job_rank, log_id from active_sighting where job is not null and replaced_at is null
    union
    -- Detectron2's log.txt beside log.txt.rank1.
    select place, 0, log_id
    from active_sighting
    where place in (select job from active_sighting) and job is null and replaced_at is null
),
member as (
    select
        p.job, p.job_rank, s.*, log.format, gpus.gpus,
        count(distinct p.job_rank) over (partition by p.job) > max(p.job_rank) over (partition by p.job) as has_no_gaps
    from placed as p
    join live_segment as s using (log_id)
    join log using (log_id)
    left join gpus using (log_id, segment)
    where s.role in ('train', 'duplicate_stream') and p.log_id not in (select log_id from listed_log)
),
first_rank as (
    select *
    from member
    qualify min(job_rank) over (partition by job, format, segment) = 0
        and row_number() over (partition by job, format, segment order by step_records = 0, job_rank, log_id) = 1
)
select
    m.log_id, m.segment, f.log_id as whole_id, f.segment as whole_segment,
    m.started_at is not null and f.started_at is not null as is_timed
from member as m
join first_rank as f on f.job = m.job and f.format = m.format and f.segment = m.segment and f.log_id <> m.log_id
where f.job_rank <> m.job_rank
    and (least(m.gpus, f.gpus) > greatest(m.job_rank, f.job_rank)) is not false
    and (m.step_gap = f.step_gap) is not false
    -- The last lines of a killed process may be missing.
    and (
        10 * abs(m.step_records - f.step_records) <= greatest(m.step_records, f.step_records)
        or least(m.step_records, f.step_records) = 0
    )
    and coalesce(
        abs(epoch(m.started_at) - epoch(f.started_at)) <= 600
        and m.started_at <= f.ended_at + interval 1 minute and f.started_at <= m.ended_at + interval 1 minute,
        -- Of logs without times rank_0, rank_8 and rank_16 may be those of adapters.
        m.has_no_gaps
    );

insert into copy_of
with said as (
    select log_id, line, name, value, true as is_fact
    from (
        select log_id, line, name, value from kept.log_fact
        union all
        select log_id, null, name, value from kept.sighting_fact join active_sighting using (sighting_id)
    )
    where name in (
        'benchmark', 'model', 'task', 'precision', 'batch_size_per_gpu', 'global_batch_size', 'gradient_accumulation',
        'seq_len', 'steps_planned', 'epochs_planned'
    )
    union all
    select r.log_id, r.line, s.name, coalesce(r.texts[s.ordinal], r."values"[s.ordinal]::varchar), false
    from (select distinct unnest([log_id, whole_id]) as log_id from rank_pair where not is_timed) as untimed
    join log using (log_id)
    join kept.record as r on r.log_id = log.log_id and r.load_number = log.load_number
    join kept.shape as s using (shape_id)
    where s.kind = 'parameter' and not list_has_any(
        string_split(lower(replace(s.name, '-', '_')), '_'),
        (select list(word) || ['device', 'gpu', 'index'] from kept.setting_word where not is_case)
    )
),
known as (
    select s.log_id, s.segment, name, is_fact, list(distinct value) as "values"
    from live_segment as s
    join said on said.log_id = s.log_id and (line between first_line and last_line) is not false
    where not regexp_matches(value, '[/\\]|\d:\d|^[0-9a-f]{7,}$')
    group by all
),
-- In two steps: to join all settings by name first would pair each rank with each other one.
asked as materialized (
    select p.log_id, p.segment, p.whole_id, p.whole_segment, own.* exclude (log_id, segment)
    from rank_pair as p
    join known as own on own.log_id = p.log_id and own.segment = p.segment
),
apart as (
    select own.log_id, own.segment, own.whole_id
    from asked as own
    join known as other
        on other.log_id = own.whole_id and other.segment = own.whole_segment and other.name = own.name
        and other.is_fact = own.is_fact
    where not list_has_any(own."values", other."values")
)
select
    log_id, segment, first_line, last_line, min((whole_id, whole_segment))[1], min((whole_id, whole_segment))[2],
    'rank', 'another rank of its job'
from rank_pair
anti join apart using (log_id, segment, whole_id)
join live_segment using (log_id, segment)
group by all;

-- None is of a log that is itself of another one.
delete from copy_of
where role = 'rank' and (whole_id, whole_segment) in (select (log_id, segment) from copy_of where role = 'rank');

-- A copy of a rank's log is of the same run.
update copy_of
set whole_id = rank.whole_id, whole_segment = rank.whole_segment
from copy_of as rank
where rank.role = 'rank' and rank.log_id = copy_of.whole_id and rank.segment = copy_of.whole_segment;

delete from live_segment where (log_id, segment) in (select (log_id, segment) from copy_of);
