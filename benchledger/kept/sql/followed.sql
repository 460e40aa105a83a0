-- The kept tables are now filled by the rules and formats of today.
-- reads: changed_definition
-- makes: kept.definition_hash

delete from kept.definition_hash
using changed_definition as changed
where definition_hash.kind = changed.kind and definition_hash.name = changed.name;

insert into kept.definition_hash
from changed_definition
where print is not null;
