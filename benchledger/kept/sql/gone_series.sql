-- The series of the campaigns and cases in due_pair go, as they were.
-- reads: gone_series
-- makes: kept.series_member, series, kept.series_run, kept.cell, kept.speedup

delete from kept.series_member where series_id in (select series_id from gone_series);
delete from series where series_id in (select series_id from gone_series);
delete from kept.series_run where series_id in (select series_id from gone_series);
delete from kept.cell where series_id in (select series_id from gone_series);
delete from kept.speedup where series_id in (select series_id from gone_series);
