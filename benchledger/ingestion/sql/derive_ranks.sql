-- Logs of the ranks of one job, which their names tell apart: the lowest rank with steps is the run's log. Names alone may
-- be those of trials: so rank 0 must be there, without times each rank up to the last one, and times, steps and the number
-- of GPUs must not speak against it.
-- reads: live_segment, active_sighting, log, kept.log_fact, kept.sighting_fact, listed_log
-- makes: copy_of, live_segment

insert into copy_of
with stated as (
    select log_id, value from kept.log_fact where name = 'gpus'
    union all
    select log_id, value from kept.sighting_fact join active_sighting using (sighting_id) where name = 'gpus'
),
gpus as (
    select log_id, min(try_cast(value as bigint)) as gpus from stated group by log_id
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
    left join gpus using (log_id)
    where s.role in ('train', 'duplicate_stream') and p.log_id not in (select log_id from listed_log)
),
first_rank as (
    select *
    from member
    qualify min(job_rank) over (partition by job, format, segment) = 0
        and row_number() over (partition by job, format, segment order by step_records = 0, job_rank, log_id) = 1
)
select
    m.log_id, m.segment, m.first_line, m.last_line, min((f.log_id, f.segment))[1], min((f.log_id, f.segment))[2],
    'rank', 'another rank of its job'
from member as m
join first_rank as f on f.job = m.job and f.format = m.format and f.segment = m.segment and f.log_id <> m.log_id
where f.job_rank <> m.job_rank
    and (least(m.gpus, f.gpus) > greatest(m.job_rank, f.job_rank)) is not false
    and (m.step_gap = f.step_gap) is not false
    and coalesce(
        abs(epoch(m.started_at) - epoch(f.started_at)) <= 600
        and m.started_at <= f.ended_at + interval 1 minute and f.started_at <= m.ended_at + interval 1 minute,
        -- Of logs without times rank_0, rank_8 and rank_16 may be those of adapters.
        m.has_no_gaps
    )
group by all;

-- None is of a log that is itself of another one.
delete from copy_of where (whole_id, whole_segment) in (select (log_id, segment) from copy_of);

delete from live_segment where (log_id, segment) in (select (log_id, segment) from copy_of);
