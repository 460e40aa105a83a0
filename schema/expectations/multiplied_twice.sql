-- A run that prints two speeds of which one is the other times its GPUs, both as speeds of all: one was multiplied again.
-- severity: warning
select
    run_id,
    higher_line as line,
    format('{} {:.6g} is {} times {} {:.6g}', higher_name, higher_value, gpus, name, value) as about,
    higher_value as value,
    value as expected
from kept.multiplied_speed;
