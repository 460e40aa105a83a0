-- One row per framework, model or GPU model that the vocabulary does not know, with TOML that makes it an alias.
-- $campaign = '*', a glob of kept.run_campaign.campaign
-- Example: bench query new-words
with stated as (
    select name, value, min(value_logged) as spelling, count(distinct run_id) as runs, list_sort(list(distinct source)) as sources
    from fact
    where used
        and name in (select name from kept.known_word)
        and run_id in (select run_id from kept.run_campaign where in_campaign(campaign, $campaign))
    group by name, value
),
judged as (
    select
        stated.*,
        exists (
            select 1 from kept.known_word where known_word.name = stated.name and lower(stated.value) glob known_word.word
        ) as is_known
    from stated
),
known as (
    select name, value
    from judged
    where is_known
    union
    select name, word
    from kept.known_word
    where not contains(word, '*')
),
near as (
    select judged.name, judged.value, arg_max(known.value, (likeness, known.value)) as nearest
    from judged
    join known using (name)
    cross join lateral (select jaro_winkler_similarity(judged.value, lower(known.value)) as likeness)
    where not is_known and likeness >= 0.85
    group by all
)
select
    judged.name, judged.value, judged.spelling, judged.runs, judged.sources,
    -- In schema/vocabulary/facts.toml of a folder for --definitions.
    format(
        '{}.{}.aliases."{}" = "{}"',
        if(judged.name = 'gpu_model', 'environment', 'case'), judged.name,
        replace(replace(lower(judged.value), '\', '\\'), '"', '\"'), coalesce(near.nearest, 'NAME')
    ) as alias_toml
from judged
left join near on near.name = judged.name and near.value = judged.value
where not is_known
order by judged.name, judged.runs desc, judged.value;
