-- Every statement about the runs in temp table new_run, and which one counts.
-- reads: log, run_log, new_run, covering, kept.log_fact, kept.format, active_sighting, kept.sighting_fact
-- makes: fact

-- The most trusted statements count if they agree; if they do not, nothing is known. Most stand alone: only the others
-- are weighed against one another. Lines that were counted are a lower bound, since some can be lost: a total that somebody
-- states counts unless it is smaller. A count by itself is used where its lines are complete: another total that these
-- lines make is the one that is stated. A command line that may only be quoted counts after every other source,
-- and what is said of another thing of the run, such as its tokenizer, after that.
insert into fact by name
with run_source as (
    -- A twin repeats its train log: its statements come after those of the train log. Of a job one rank may print the
    -- settings, and another one the steps.
    select
        l.run_id, l.log_id, l.segment, l.role, l.sighting_id,
        case l.role when 'train' then 0 when 'duplicate_stream' then 1000 when 'rank' then 3000 else 2000 end as later
    from run_log as l
    semi join new_run as n on n.run_id = l.run_id
    where l.role <> 'copy'
),
shared as (
    -- A manifest describes one run: where its logs hold several, how and when the run ended is stated for none of them.
    select listing as sighting_id from covering group by listing having count(*) > 1
),
statement as (
    select
        r.run_id, f.name, f.value, f.value_logged, 'log' as source, 1 as source_rank, f.strength,
        f.trust + r.later
            + case f.strength when 'usual' then 10000 when 'quoted' then 1000000 when 'related' then 2000000 else 0 end as trust,
        f.log_id, f.line, null::bigint as sighting_id, null::varchar as place
    from run_source as r
    join kept.log_fact as f on f.log_id = r.log_id and f.segment = r.segment
    where r.role not in ('manifest', 'sidecar')
    union all
    select
        r.run_id, f.name, f.value, f.value_logged, r.role, if(r.role = 'manifest', 2, 3), f.strength,
        f.trust + if(f.strength = 'usual', 10000, 0),
        f.log_id, f.line, r.sighting_id, null
    from run_source as r
    join kept.log_fact as f on f.log_id = r.log_id
    where r.role in ('manifest', 'sidecar')
        and not (
            f.name in ('trial', 'run_name', 'started_at', 'ended_at', 'exit_code', 'signal', 'failure')
            and r.sighting_id in (from shared)
        )
    union all
    select
        n.run_id, own.name, own.value, own.value, 'log', 1, 'stated', 500, n.log_id, n.first_line, null,
        'format ' || m.format
    from new_run as n
    join log using (log_id)
    join kept.format as m using (format)
    cross join lateral (
        select unnest(['framework', 'implementation']) as name, unnest([m.framework, m.implementation]) as value
    ) as own
    -- The format knows whose lines these are; a program that prints them under another name is no contradiction.
    where (n.run_id, own.name) not in (
        select (r.run_id, f.name)
        from run_source as r
        join kept.log_fact as f on f.log_id = r.log_id and f.segment = r.segment
        where r.later = 0 and f.name in ('framework', 'implementation')
    )
    union all
    select
        r.run_id, f.name, f.value, f.value_logged, f.source,
        case f.source when 'correct' then 0 when 'facts.toml' then 4 else 5 end, 'stated', least(r.later, 1000),
        a.log_id, null, a.sighting_id, f.place
    from run_source as r
    join active_sighting as a on a.log_id = r.log_id
    join kept.sighting_fact as f on f.sighting_id = a.sighting_id
    where r.later < 2000 or (r.role = 'manifest' and r.log_id in (select log_id from new_run))
),
numbered as materialized (
    select *, source_rank * 100000 + trust as rank, row_number() over () as number
    from statement
    where value is not null
),
-- Equal statements are kept once: the first of them.
alike as (
    select run_id, name, value, rank, place, min(number) as number, count(*) > 1 as is_repeated
    from numbered
    group by run_id, name, value, rank, place
),
kept as materialized (
    select *
    from numbered
    semi join (
        select number
        from alike
        where not is_repeated
        union all
        select arg_min(n.number, (coalesce(n.line, 0), n.log_id, coalesce(n.sighting_id, 0)))
        from numbered as n
        join alike as a
            on a.run_id = n.run_id and a.name = n.name and a.value = n.value and a.rank = n.rank
            and a.place is not distinct from n.place
        where a.is_repeated
        group by a.number
    ) as first_said using (number)
),
stated as (
    select * from kept where strength <> 'counted'
),
counted as (
    select
        run_id, name, log_id, line, min(number) as number, max(value::hugeint) as least,
        min(value) = max(value) as is_one
    from kept
    where strength = 'counted'
    group by all
),
best as (
    select run_id, name, min(rank) as rank, min(number) as number, count(*) = 1 as is_alone
    from stated
    group by run_id, name
),
agreed as materialized (
    select number
    from best
    where is_alone
    union all
    select arg_min(r.number, (coalesce(r.line, 0), r.log_id, coalesce(r.sighting_id, 0), coalesce(r.place, '')))
    from stated as r
    join best as b using (run_id, name, rank)
    where not b.is_alone
    group by r.run_id, r.name
    having min(r.value) = max(r.value)
),
-- Whether the count allows the stated total, and whether it equals it.
weighed as materialized (
    select
        s.number, c.*, s.source <> 'correct' and s.value::hugeint < c.least as is_less,
        s.value::hugeint = c.least as is_equal
    from stated as s
    semi join agreed using (number)
    join counted as c using (run_id, name)
),
winner as (
    from agreed
    anti join (from weighed where is_less) using (number)
    union all
    select min(number)
    from counted as c
    semi join (from weighed where is_equal) as w
        on w.run_id = c.run_id and w.log_id = c.log_id and w.line = c.line
    anti join stated as s on s.run_id = c.run_id and s.name = c.name
    group by c.run_id, c.name
    having count(*) = 1 and bool_and(is_one)
)
select
    run_id, name, value, value_logged, source, log_id, line, sighting_id, place, strength,
    winner.number is not null as used
from kept
left join winner using (number);

-- Facts that follow from others, where nothing states them. Contradicting statements are no gap to fill, and a derived
-- number is not less than a counted one.
-- gpus x batch_size_per_gpu x gradient_accumulation = global_batch_size x model_parallel: the GPUs over which one model
-- is split share a batch, so where nothing states their number, nothing follows.
insert into fact by name
with known as (
    select
        n.run_id, n.log_id,
        max(f.value) filter (f.name = 'gpus')::hugeint as gpus,
        max(f.value) filter (f.name = 'batch_size_per_gpu')::hugeint as batch_size_per_gpu,
        max(f.value) filter (f.name = 'gradient_accumulation')::hugeint as gradient_accumulation,
        max(f.value) filter (f.name = 'global_batch_size')::hugeint as global_batch_size,
        max(f.value) filter (f.name = 'model_parallel')::hugeint as model_parallel,
        bool_or(f.name in ('options.tensor_parallel', 'options.pipeline_parallel')) as is_split
    from new_run as n
    join fact as f on f.run_id = n.run_id and f.used
    group by all
),
quotient as (
    select run_id, log_id, unnest([
        {
            'name': 'global_batch_size',
            'over': try(gpus * batch_size_per_gpu * gradient_accumulation),
            'under': model_parallel,
            'place': 'gpus x batch_size_per_gpu x gradient_accumulation / model_parallel'
        },
        {
            'name': 'batch_size_per_gpu',
            'over': try(global_batch_size * model_parallel),
            'under': try(gpus * gradient_accumulation),
            'place': 'global_batch_size x model_parallel / (gpus x gradient_accumulation)'
        },
        {
            'name': 'gpus',
            'over': try(global_batch_size * model_parallel),
            'under': try(batch_size_per_gpu * gradient_accumulation),
            'place': 'global_batch_size x model_parallel / (batch_size_per_gpu x gradient_accumulation)'
        }
    ], recursive := true)
    from known
    where model_parallel > 1 or not is_split
),
derived as (
    -- A batch that cannot be divided evenly has another meaning.
    select run_id, log_id, name, (over // under)::varchar as value, place
    from quotient
    where over % under = 0 and over // under between 1 and 9223372036854775807
    union all by name
    select run_id, log_id, 'nodes' as name, '1' as value, 'one GPU is on one node' as place
    from known
    where gpus = 1
)
select derived.run_id, derived.name, value, 'derived' as source, log_id, place, true as used
from derived
-- Equal columns only: an anti join with an inequality compares every row with every other.
anti join (from fact where used or strength <> 'counted') as stated
    on stated.run_id = derived.run_id and stated.name = derived.name
left join (
    select run_id, name, max(value::hugeint) as least
    from fact
    semi join new_run using (run_id)
    where strength = 'counted'
    group by run_id, name
) as counted
    on counted.run_id = derived.run_id and counted.name = derived.name
where derived.value::hugeint >= coalesce(counted.least, 0);
