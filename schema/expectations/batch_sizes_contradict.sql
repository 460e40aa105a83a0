-- A run whose global batch is not its batch size per GPU times data-parallel GPUs times accumulation.
-- severity: warning
with stated as (
    select
        run_id,
        global_batch_size,
        batch_size_per_gpu,
        gpus,
        coalesce(gradient_accumulation, 1) as accumulation,
        coalesce(try_cast(options ->> 'tensor_parallel' as double), 1)
            * coalesce(try_cast(options ->> 'pipeline_parallel' as double), 1) as model_parallel
    from run
    join bench_case using (case_id)
)
select
    run_id,
    format(
        'global batch {}; {} per GPU x {} GPUs / {} x {} accumulated', global_batch_size, batch_size_per_gpu, gpus,
        try_cast(model_parallel as hugeint), accumulation
    ) as about,
    global_batch_size as value,
    batch_size_per_gpu::double * gpus * accumulation / model_parallel as expected
from stated
where global_batch_size <> batch_size_per_gpu::double * gpus * accumulation / model_parallel;
