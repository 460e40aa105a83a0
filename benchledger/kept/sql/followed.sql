-- The kept tables are now filled by the rules and formats of today.
-- reads: changed_definition
-- makes: kept_definition, changed_definition

delete from kept_definition
using changed_definition as changed
where kept_definition.kind = changed.kind and kept_definition.name = changed.name;

insert into kept_definition
from changed_definition
where print is not null;

delete from changed_definition;
