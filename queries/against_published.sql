-- One row per published number and series of ours of the same case: the document's own logs where the ledger has them, else every campaign's.
-- $source = '*', a glob of published.source
-- $campaign = '*', a glob of run_campaign.campaign
-- $every = false
-- Example: bench query against-published -p source='*MxNet/BERT*'
with found as (
    select *
    from published_table
    where source glob $source and (campaign is null or campaign glob $campaign)
    -- The document's own logs say best how it came to its number: others are listed where these are not here.
    qualify $every or own_logs or not bool_or(own_logs) over (partition by source, revision, section, cell, quantity)
)
select
    source, revision, section, cell, quantity, gpu_model, printed, campaign, own_logs, our_gpu_model, our_value, unit,
    rule, rule_is, trials, conflicts, difference, ratio, equal, note, our_cell
from found
order by all;
