-- A run whose global batch is not its batch size per GPU times data-parallel GPUs times accumulation.
-- severity: warning
with stated as (
    select
        run_id,
        global_batch_size,
        batch_size_per_gpu,
        gpus,
        coalesce(gradient_accumulation, 1) as accumulation,
        coalesce((options ->> 'tensor_parallel')::bigint, 1) * coalesce((options ->> 'pipeline_parallel')::bigint, 1)
            as model_parallel
    from run
    join bench_case using (case_id)
)
select
    run_id,
    format(
        'global batch {}; {} per GPU x {} GPUs / {} x {} accumulated', global_batch_size, batch_size_per_gpu, gpus,
        model_parallel, accumulation
    ) as about,
    global_batch_size as value,
    batch_size_per_gpu * gpus * accumulation / model_parallel as expected
from stated
where global_batch_size <> batch_size_per_gpu * gpus * accumulation / model_parallel;
