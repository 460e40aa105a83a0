-- Deletes the cases and environments that no run uses.
-- reads: run
-- makes: bench_case, environment

delete from bench_case where case_id not in (select case_id from run);
delete from environment where environment_id not in (select environment_id from run);
