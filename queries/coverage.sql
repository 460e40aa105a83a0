-- One row per campaign: how many series have a speed by the default rule, and why the others have none.
-- $campaign = '*', a glob of kept.run_campaign.campaign
-- Example: bench query coverage -p campaign='made*'
with cell as (
    select
        series.series_id,
        series.campaign,
        bench_case.name,
        coalesce(bool_or(speed_table.value is not null), false) as has_speed,
        coalesce(min(speed_table.status) filter (where speed_table.status <> 'ok'), 'no default rule') as status
    from series
    join bench_case using (case_id)
    left join speed_table on speed_table.series_id = series.series_id and speed_table.is_default
    where in_campaign(series.campaign, $campaign)
    group by series.series_id, series.campaign, bench_case.name
)
select
    campaign,
    count(*) filter (where has_speed) as with_speed,
    count(*) as series,
    string_agg(name || ': ' || status, '; ' order by name, status) filter (where not has_speed) as missing
from cell
group by campaign
order by campaign;
