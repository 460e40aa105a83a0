-- What of the records tells of convergence: the losses of training, the metrics of evaluations.
select
    shape_id, ordinal, name, quantity, kind, phase = 'validation' as is_metric, unit, contains(lower(name), 'total') as is_total,
    dense_rank() over (order by phase, name, quantity, kind, if(phase = 'validation', unit, null)) as told
from shape
where quantity = 'loss' and kind = 'step' and phase = 'train'
    or quantity in ('accuracy', 'score', 'error_rate', 'perplexity', 'loss')
    and kind in ('step', 'summary')
    and phase = 'validation'
order by shape_id, ordinal
