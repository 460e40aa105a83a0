-- One row per series of a transformer: the rule model_flops, TFLOP/s per GPU, and the share of the GPU's peak (MFU).
-- $campaign = '*', a glob of kept.run_campaign.campaign
-- $rule = '', one of kept.rule.rule
-- Example: bench query model_flops -p campaign='made*'
with model_size (model, layers, width, vocabulary) as (
    -- BERT: Devlin et al. (2018), the vocabulary padded to 30,528 as NVIDIA does; GPT-2: Radford et al. (2019), to 50,304.
    values
        ('bert_base', 12, 768, 30528), ('bert_large', 24, 1024, 30528),
        ('gpt2_124m', 12, 768, 50304), ('gpt2_345m', 24, 1024, 50304)
),
gpu_peak (gpu, precision, peak_tflops) as (
    -- Dense TFLOP/s of the vendor's datasheets, SXM cards. fp32 is that of the units that multiply fp32 without TF32.
    values
        ('H200*', 'bf16', 989.5), ('H200*', 'fp16', 989.5), ('H200*', 'tf32', 494.7), ('H200*', 'fp32', 66.9),
        ('H100*SXM*', 'bf16', 989.5), ('H100*SXM*', 'fp16', 989.5), ('H100*SXM*', 'tf32', 494.7), ('H100*SXM*', 'fp32', 66.9),
        ('A100*', 'bf16', 312), ('A100*', 'fp16', 312), ('A100*', 'tf32', 156), ('A100*', 'fp32', 19.5),
        ('V100-SXM2*', 'fp16', 125), ('V100-SXM2*', 'fp32', 15.7)
),
sized as (
    select
        speed_table.*, 12 * layers * width * width as layer_parameters,
        -- The head over words: on all positions, on BERT's masked ones (20 of 128, 80 of 512), or none in fine-tuning.
        width * vocabulary + if(model like 'bert%', width * width, 0) as head_parameters,
        case
            when task <> 'pretraining' then 0
            when options ->> '$.head' = 'masked' then round(seq_len * 20e0 / 128)
            else seq_len
        end as head_tokens,
        -- Scores and weighted values, forward and twice that backward; causal ones are counted whole.
        12e0 * layers * width * seq_len * seq_len as attention_flops
    from speed_table
    join model_size using (model)
    where in_campaign(campaign, $campaign) and status = 'ok'
        and case when $rule = '' then is_default else speed_table.rule glob $rule end
        and unit in ('samples/s', 'tokens/s')
),
flops as (
    select *, 6 * (layer_parameters * seq_len::double + head_parameters * head_tokens) + attention_flops as flops_per_sample
    from sized
),
rate as (
    select *, nullif(value / if(unit = 'tokens/s', seq_len, 1) * flops_per_sample / gpus / 1e12, 'inf') as tflops_per_gpu
    from flops
)
select
    rate.campaign, rate.framework, rate.model, rate.task, rate.precision, rate.batch_size_per_gpu as batch, rate.gpus,
    rate.gpu_model, round(rate.value, 2) as value, rate.unit, layer_parameters, head_parameters, rate.seq_len,
    cast(head_tokens as bigint) as head_tokens, round(attention_flops / 1e9, 3) as attention_gflops,
    round(flops_per_sample / 1e9, 3) as gflops_per_sample, round(tflops_per_gpu, 2) as tflops_per_gpu, peak_tflops,
    round(100 * tflops_per_gpu / peak_tflops, 4) as mfu_percent, rate.rule, rate.implementation, rate.series_id
from rate
left join gpu_peak on rate.gpu_model glob gpu_peak.gpu and rate.precision = gpu_peak.precision
order by all;
