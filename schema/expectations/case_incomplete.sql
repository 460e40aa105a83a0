-- A run without a stated framework, model, precision, batch size or number of GPUs: it has a row of its own in tables.
-- severity: note
with lacking as (
    select
        run_id,
        concat_ws(
            ', ',
            if(framework is null, 'framework', null),
            if(model is null, 'model', null),
            if("precision" is null, 'precision', null),
            if(coalesce(batch_size_per_gpu, global_batch_size) is null, 'batch size', null),
            if(gpus is null, 'gpus', null)
        ) as lacks
    from run
    join bench_case using (case_id)
)
select run_id, 'unknown: ' || lacks as about
from lacking
where lacks <> '';
