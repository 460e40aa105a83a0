-- The series of the campaigns and cases in due_pair go, as they were.
-- reads: gone_series
-- makes: series_member, series, series_run, kept_cell, kept_speedup

delete from series_member where series_id in (select series_id from gone_series);
delete from series where series_id in (select series_id from gone_series);
delete from series_run where series_id in (select series_id from gone_series);
delete from kept_cell where series_id in (select series_id from gone_series);
delete from kept_speedup where series_id in (select series_id from gone_series);
