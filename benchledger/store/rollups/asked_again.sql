-- Runs that are read again for changed rules alone. All runs are due then.

insert into asked_again
select run_id
from format_now
anti join due_record using (run_id)
where format in (
    select known.format
    from (select distinct format from format_now) as known
    join (select rule, formats from rule) as own on own.formats is null or list_contains(own.formats, known.format)
    where own.rule in (select name from changed_definition where kind = 'rule')
);
