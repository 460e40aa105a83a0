-- A case in half precision that is not 5 % faster than the same in fp32: which of the two is what its name says?
-- severity: note
-- $least = 1.05
select
    half.trial_runs[1] as run_id,
    half.cell,
    format('{}: {:.6g} {}, in fp32 {:.6g}', half.precision, half.value, half.unit, single.value) as about,
    half.value / single.value as value,
    $least as expected
from speed_table as half
join speed_table as single
    on single.campaign is not distinct from half.campaign
    and single.framework is not distinct from half.framework
    and single.implementation is not distinct from half.implementation
    and single.model is not distinct from half.model
    and single.task is not distinct from half.task
    and single.batch_size_per_gpu is not distinct from half.batch_size_per_gpu
    and single.global_batch_size is not distinct from half.global_batch_size
    and single.gradient_accumulation is not distinct from half.gradient_accumulation
    and single.nodes is not distinct from half.nodes
    and single.gpus is not distinct from half.gpus
    and single.seq_len is not distinct from half.seq_len
    and single.options is not distinct from half.options
    and single.gpu_model is not distinct from half.gpu_model
    and single.gpu_memory_mib is not distinct from half.gpu_memory_mib
    and single.framework_version is not distinct from half.framework_version
    and single.implementation_version is not distinct from half.implementation_version
    and single.rule = half.rule
    and single.unit = half.unit
where half.precision in ('fp16', 'bf16', 'fp8') and single.precision = 'fp32' and half.is_default and single.is_default
    and half.unit <> 's' and half.value < $least * single.value;
