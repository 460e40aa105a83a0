-- A run that prints two speeds of all GPUs, and one is the other times the number of GPUs: it was multiplied twice.
-- severity: warning
select
    run_id,
    higher_line as line,
    format('{} {:.6g} is {} times {} {:.6g}', higher_name, higher_value, gpus, name, value) as about,
    higher_value as value,
    value as expected
from kept.multiplied_speed;
