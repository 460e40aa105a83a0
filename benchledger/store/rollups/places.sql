-- The readings with their places, ranks and steps, for the rules that ask for these.

create or replace temp view reading as
select
    printed_reading.* exclude (reading_key), printable.kind, printable.phase, printable.unit, printable.name, printable.scope
from printed_reading
join (select distinct reading_key, kind, phase, unit, name, scope from printable) as printable using (reading_key)
union all by name
select
    * exclude (reading_key),
    if(quantity = 'span', 'summary', 'step') as kind, 'train' as phase, 's' as unit, 'global' as scope
from timed_reading;

insert into placed by name
with asked_place as (
    select distinct listed_id, run_id, kind, phase, quantity, unit, name, scope
    from asked
    where not is_plain and ranks <> 'median'
),
asked_median as (
    select distinct run_id from asked where ranks = 'median'
),
rank_median as (
    -- One reading a step: the median over its ranks, for the few formats that a rule wants it of.
    select
        record.run_id,
        rule.rule,
        shape.kind,
        shape.phase,
        shape.quantity,
        shape.unit,
        shape.name,
        shape.scope,
        record.epoch,
        record.step,
        min({'part': record.part, 'log_id': record.log_id, 'byte_offset': record.byte_offset}) as place,
        median(per_second(
            rounded(record."values"[shape.ordinal], rule.reading_rounding, rule.reading_rounding_digits),
            1, shape.quantity
        )) as rate
    from chunk_record as record
    join shape using (shape_id)
    join run_format using (run_id)
    semi join asked_median using (run_id)
    join rule
        on rule.quantity = shape.quantity
        and rule.kind = shape.kind
        and rule.ranks = 'median'
        and (rule.name is null or rule.name = shape.name)
        and (rule.formats is null or list_contains(rule.formats, run_format.format))
    where record.part is not null
        and isfinite(record."values"[shape.ordinal])
        and (shape.quantity = 'throughput' or record."values"[shape.ordinal] > 0)
        and record.step is not null
    group by all
),
stepwise as (
    select
        run_id,
        rule,
        kind,
        phase,
        quantity,
        unit,
        name,
        scope,
        list_sort(list({
            'part': place.part, 'log_id': place.log_id, 'byte_offset': place.byte_offset, 'ordinal': 0, 'rank': -1,
            'since': step - 1, 'step': step, 'steps': 1, 'value': per_second(rate, 1, quantity)
        })) as readings
    from rank_median
    group by run_id, rule, kind, phase, quantity, unit, name, scope
)
select
    null as rule,
    asked.listed_id,
    null as run_id,
    null as phase,
    null as unit,
    null as name,
    null as scope,
    list_sort(list({
        'part': part, 'log_id': log_id, 'byte_offset': byte_offset, 'ordinal': ordinal, 'rank': rank, 'since': since,
        'step': step, 'steps': steps, 'value': value
    })) as readings
from reading
join asked_place as asked
    on asked.run_id = reading.run_id
    and asked.kind = reading.kind
    and asked.phase is not distinct from reading.phase
    and asked.quantity = reading.quantity
    and asked.unit is not distinct from reading.unit
    and asked.name is not distinct from reading.name
    and asked.scope is not distinct from reading.scope
where is_usable
group by asked.listed_id
union all
select rule, null, run_id, phase, unit, name, scope, readings
from stepwise;
