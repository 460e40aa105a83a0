-- What the fill worked with: it would hide what a question of the same connection asks.

drop table if exists temp.due_run;
drop table if exists temp.chunk_run;
drop table if exists temp.chunk_row;
drop table if exists temp.format_now;
drop table if exists temp.print_now;
drop table if exists temp.due_record;
drop table if exists temp.asked_again;
drop table if exists temp.gone_record;
drop table if exists temp.due_chunk;
drop table if exists temp.chunk_claim;
drop table if exists temp.printable;
drop table if exists temp.listed;
drop table if exists temp.asked_timing;
drop table if exists temp.told;
drop table if exists temp.asked;
drop table if exists temp.asked_rule;
drop table if exists temp.alike;
drop table if exists temp.stated;
drop table if exists temp.stream;
drop table if exists temp.chain;
drop table if exists temp.campaign_now;
drop table if exists temp.due_pair;
drop table if exists temp.gone_series;
drop table if exists temp.due_member;
drop table if exists temp.changed_definition;
