-- The speed-ups of the campaigns in temp table due_pair go: they are worked out again.

delete from kept_speedup
where series_id in (
    select series_id
    from series
    semi join due_pair on due_pair.campaign is not distinct from series.campaign
);
