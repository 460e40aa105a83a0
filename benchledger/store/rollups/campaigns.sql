-- The campaigns in which a run of temp table due_run is or was, whose speed-ups are worked out again.

create or replace temp table due_campaign as
select distinct campaign
from due_pair;

delete from kept_speedup
where series_id in (
    select series_id from gone_series
    union
    select series_id
    from series
    semi join due_campaign on due_campaign.campaign is not distinct from series.campaign
);
