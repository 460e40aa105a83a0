-- The runs of trackers' files: the run of the text log beside them, else one of their own. Files of one run are told by its
-- id, which Weights & Biases and MLflow state, else by their folder: a folder of TensorBoard or Lightning is one run.
-- reads: live_segment, active_sighting, log, kept.log_fact, new_run, listed_log
-- makes: tracker_log, tracked, run_place, tracker_claim, tracker_of, new_run, tracker_main

create or replace temp table tracker_log as
with placed as (
    select distinct
        s.log_id, s.segment, a.folder, a.stem, a.folders[1:4] as folders, split_part(log.format, '-', 1) as tool,
        s.started_at, s.ended_at, f.value as own_id,
        -- Settings alone are equal in many runs: they join a run and make none.
        s.started_at is not null or s.step_records > 0 as is_measured,
        tool in ('tensorboard', 'lightning') as is_by_folder, log.format = 'mlflow-run' as is_mlflow_run,
        -- What lay there before the folder was written again is of an earlier run.
        if(a.replaced_at is null, null, a.ingested_at) as replaced
    from live_segment as s
    join log using (log_id)
    join active_sighting as a using (log_id)
    left join kept.log_fact as f on f.log_id = s.log_id and f.segment = s.segment and f.name = 'tracker_run'
    where s.role = 'tracker'
),
keyed as (
    select *,
        case
            when own_id is not null then 'run ' || own_id
            when is_measured and is_by_folder
                then 'log ' || min(log_id) over (partition by folder, replaced, own_id is null, is_measured, is_by_folder)
            when is_measured then 'log ' || log_id
        end as key
    from placed
)
-- A copy of a folder has the same logs, and is the same run.
select * replace (if(own_id is null, min(key) over (partition by log_id, segment), key) as key) from keyed;

-- The files of one run under one name, by its first.
create or replace temp table tracked as
with within as (
    -- A writer of TensorBoard puts hyperparameters and groups of scalars into folders below its own, while it runs.
    select t.key, min(above.key) as other
    from tracker_log as t
    join tracker_log as above
        on above.folder in (t.folders[2], t.folders[3]) and above.key <> t.key
        and t.started_at between above.started_at and above.ended_at + interval 1 minute
    where t.tool = 'tensorboard' and above.tool = 'tensorboard'
    group by t.key
),
nested as (
    select t.* replace (coalesce(w.other, t.key) as key) from tracker_log as t left join within as w using (key)
),
-- Where a run was started: below it are wandb/RUN and mlruns/EXPERIMENT/RUN; where TensorBoard's files lie is free.
home as (
    select distinct
        key, tool,
        unnest(case
            when tool = 'wandb' then folders[3:3] when is_mlflow_run then folders[4:4] when tool <> 'mlflow' then folders[1:3]
        end) as folder
    from nested
    where key is not null
),
span as (
    select key, min(started_at) as started_at, max(ended_at) as ended_at from nested where key is not null group by key
),
-- Two trackers of one run: near each other and at one time, and no other is. All of them count seconds since 1970.
together as (
    select distinct one.key, other.key as other, one.tool, other.tool as other_tool
    from home as one
    join home as other on other.folder = one.folder and other.tool <> one.tool and other.key <> one.key
    join span as s on s.key = one.key
    join span as o
        on o.key = other.key and o.started_at <= s.ended_at + interval 1 minute
        and s.started_at <= o.ended_at + interval 1 minute
    qualify count(distinct other.key) over (partition by one.key, one.tool, other.tool) = 1
        and count(distinct one.key) over (partition by other.key, other.tool, one.tool) = 1
),
first_of as (
    select key, least(key, min(other)) as cluster from together group by key
),
named as (
    select n.*, coalesce(f.cluster, n.key) as cluster from nested as n left join first_of as f using (key)
)
select n.* exclude (key, cluster), coalesce(n.cluster, o.cluster) as cluster
from named as n
left join (select distinct folder, cluster from named where cluster is not null) as o
    on n.cluster is null and o.folder = n.folder
where coalesce(n.cluster, o.cluster) is not null;

-- Where the text logs lie; `console` is the tracker whose copy of a run's output it is, in a folder below its own.
create or replace temp table run_place as
select distinct
    r.run_id, r.log_id, r.segment, a.folder, a.stem,
    case
        when bool_and(t.cluster is not null) over (partition by r.run_id)
            then min(t.cluster) over (partition by r.run_id)
    end as console
from new_run as r
join active_sighting as a using (log_id)
left join tracked as t on t.tool = 'wandb' and t.folder = a.folders[2];

create or replace temp table tracker_claim as
with listed as (
    select distinct t.cluster, p.run_id, 'listed in one manifest' as paired_by, 0 as distance
    from tracked as t
    join listed_log as lt on lt.log_id = t.log_id
    join listed_log as lp on lp.listing = lt.listing
    join run_place as p on p.log_id = lp.log_id
),
same_stem as (
    select distinct t.cluster, p.run_id, 'same folder and stem' as paired_by, 1 as distance
    from tracked as t
    join run_place as p on p.folder = t.folder and p.stem = t.stem
),
near as (
    select distinct
        t.cluster, p.run_id, if(t.distance = 1, 'alone in its folder', 'alone in a folder above') as paired_by,
        1 + t.distance as distance
    from (select *, unnest(folders) as above, generate_subscripts(folders, 1) as distance from tracked) as t
    join run_place as p on p.folder = t.above
    where p.console is null
),
output as (
    select distinct console as cluster, run_id, 'console output of its tracker' as paired_by, 9 as distance
    from run_place
    where console is not null
),
nearest as (
    select *
    from (from listed union all from same_stem union all from near union all from output)
    qualify distance = min(distance) over (partition by cluster)
),
alone as (
    select * from nearest qualify count(distinct run_id) over (partition by cluster) = 1
)
-- Two runs of one tracker near one text log: it is of one of them, and nothing says of which.
select *
from alone
where distance < 2 or (cluster, run_id) not in (
    select (unnest(list(a.cluster)), a.run_id)
    from alone as a
    join (select distinct cluster, tool from tracked) as k using (cluster)
    group by a.run_id, k.tool
    having count(*) > 1
);

-- A console log is a run itself only where there is no other text log.
insert into tracker_of
select p.log_id, p.segment, c.run_id, 'console output of its tracker'
from (select distinct run_id, log_id, segment, console from run_place where console is not null) as p
join tracker_claim as c on c.cluster = p.console and c.run_id <> p.run_id;

delete from new_run where (log_id, segment) in (select (log_id, segment) from tracker_of);

create or replace temp table tracker_main as
select t.cluster, s.*
from (select distinct cluster, log_id, segment, is_measured from tracked) as t
join live_segment as s using (log_id, segment)
where t.cluster not in (select cluster from tracker_claim) and t.is_measured
qualify row_number() over (
    partition by t.cluster order by s.losses is not null desc, s.step_records desc, s.records desc, s.log_id, s.segment
) = 1;

insert into new_run by name
select (md5_number_lower(run_key) // 2)::bigint as run_id, *
from (
    select left(log.content_hash, 12) || '-' || s.first_record_line as run_key, s.* exclude (
        cluster, first_record_line, records, step_records, stream, losses, beginning, devices
    )
    from tracker_main as s
    join log using (log_id)
);

insert into tracker_of
with run_of as (
    select cluster, run_id, paired_by from tracker_claim
    union all
    select m.cluster, n.run_id, 'same run of a tracker'
    from tracker_main as m
    join new_run as n using (log_id, segment)
)
select distinct on (t.log_id, t.segment, r.run_id) t.log_id, t.segment, r.run_id, r.paired_by
from tracked as t
join run_of as r using (cluster)
anti join new_run as n on n.log_id = t.log_id and n.segment = t.segment
order by t.log_id, t.segment, r.run_id, r.paired_by;
