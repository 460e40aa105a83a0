-- What the fill worked with: it would hide what a question of the same connection asks.

drop view if exists temp.reading;
drop view if exists temp.printed_reading;
drop view if exists temp.chunk_record;
drop macro table if exists temp.listed_of;
drop table if exists temp.due_run;
drop table if exists temp.chunk_run;
drop table if exists temp.format_now;
drop table if exists temp.print_now;
drop table if exists temp.due_record;
drop table if exists temp.due_rule;
drop table if exists temp.due_chunk;
drop table if exists temp.chunk_claim;
drop table if exists temp.printable;
drop table if exists temp.listed;
drop table if exists temp.asked_timing;
drop table if exists temp.timed_run;
drop table if exists temp.round_run;
drop table if exists temp.span_run;
drop table if exists temp.timed_reading;
drop table if exists temp.placed;
drop table if exists temp.told;
drop table if exists temp.asked;
drop table if exists temp.due_pair;
drop table if exists temp.gone_series;
drop table if exists temp.due_series;
drop table if exists temp.definition_now;
drop table if exists temp.changed_definition;
