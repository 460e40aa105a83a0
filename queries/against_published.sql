-- One row per published number and series of the same case, from the document's own logs if the ledger has them.
-- $source = '*', a glob of published.source
-- $campaign = '*', a glob of kept.run_campaign.campaign
-- $every = false
-- Example: bench query against-published -p source='*MxNet/BERT*'
with found as (
    select *
    from kept.published_table
    where source glob $source and (campaign is null or in_campaign(campaign, $campaign))
    -- A document's own logs explain its number best. Series of other campaigns are listed only if these logs are
    -- missing.
    qualify $every or own_logs or not bool_or(own_logs) over (partition by source, revision, section, cell, quantity)
)
select
    source, revision, section, cell, quantity, gpu_model, printed, campaign, own_logs, our_gpu_model, our_value, unit,
    rule, rule_is, trials, conflicts, difference, ratio, equal, note, our_cell
from found
order by all;
