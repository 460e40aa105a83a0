-- A published number that bench reproduce compared with its logs, and that they contradict.
-- severity: warning
select
    found_run as run_id,
    format(
        '{}, line {}: {} {} printed, {:.6g} by {}', source, line, quantity, printed, found_value, found_rule
    ) as about,
    format('{}, {}', source, section) as cause,
    found_value as value,
    value as expected
from published
where verdict = 'contradicted';
