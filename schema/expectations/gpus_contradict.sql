-- A run whose GPUs are not its nodes times the GPUs of a node.
-- severity: warning
select
    run_id,
    format('{} GPUs; {} nodes of {}', gpus, nodes, gpus_per_node) as about,
    gpus as value,
    try(nodes * gpus_per_node) as expected
from run
join bench_case using (case_id)
join environment using (environment_id)
where gpus > try(nodes * gpus_per_node);
