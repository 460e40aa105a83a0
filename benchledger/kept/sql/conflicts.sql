-- Contradicting statements about the runs in due_run.
-- reads: fact, due_run
-- makes: conflict

insert into conflict
with unused as (
    select distinct run_id, name
    from fact
    semi join due_run using (run_id)
    -- A run is in every campaign in which its log was seen: that is no contradiction.
    where not used and value is not null and name <> 'campaign' and strength <> 'related'
),
stated as (
    select distinct run_id, name, value, source, used
    from fact
    semi join unused using (run_id, name)
    -- What is said of a tokenizer or a checkpoint says nothing against the run.
    where used or (value is not null and strength <> 'related')
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
