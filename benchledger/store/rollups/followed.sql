-- The kept tables are now filled by the rules and formats of today.

delete from kept_definition;
insert into kept_definition from definition_now;
delete from changed_definition;
