-- One reading a step, the median over its ranks of rounded readings, for the few formats that a rule wants it of.

insert into made_reading by name
with wanted as (
    select distinct run_id, reading_key, median_key, quantity, reading_rounding, reading_rounding_digits
    from asked
    where lanes = 'median'
)
select
    reading.run_id,
    wanted.median_key as reading_key,
    min(place) as place,
    reading.step - 1 as since,
    reading.step,
    -- Each is a speed here, whatever was printed.
    median(per_second(
        rounded(value, wanted.reading_rounding, wanted.reading_rounding_digits), 1, wanted.quantity
    )) as value,
    true as is_usable
from printed_reading as reading
join wanted using (run_id, reading_key)
where reading.is_usable and reading.step is not null
group by wanted.median_key, reading.run_id, reading.epoch, reading.step;

update asked
set found = coalesce((select count(*) from made_reading where reading_key = asked.median_key), 0)
where lanes = 'median';
