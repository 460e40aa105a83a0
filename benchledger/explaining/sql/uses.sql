-- Each reading that the asked rule takes of the runs in chosen, and what it made of it, in words.
-- reads: use, chosen, chunk_rule, micro_value

select
    run_id, place, use.value, if(dropped = 'no usable number', null, use.rate) as rate,
    case
        when dropped is null then 'kept'
        when dropped = 'no usable number' then 'dropped: ' || case
            when not isfinite(use.value) then 'not finite'
            when chosen.quantity = 'throughput' then 'a speed below 0, or of 0 after step 0'
            else 'a time of 0 or less'
        end
        when dropped = 'printed before' and run_id in (select run_id from micro_value)
            then 'dropped: counted with the last line of its step'
        when dropped = 'of another rank' and lane < 0 then 'dropped: a further line of its step'
        when dropped = 'of another rank' then format('dropped: rank {}, not the lowest', lane)
        when dropped = 'of no step' or (dropped = 'outside the steps of the rule' and (step is null or since is null))
            then 'dropped: no step number'
        when dropped = 'outside the steps of the rule' and since < after_step
            then format('dropped: before the window, not after step {}', after_step)
        when dropped = 'outside the steps of the rule'
            then format('dropped: after the window, which ends with step {}', to_step)
        when dropped = 'skipped at the beginning' then format('dropped: before the window, one of the first {}', skip)
        when dropped = 'after the window' and take is null
            then format('dropped: after the window, one of the last {}', skip_last)
        when dropped = 'after the window' and skip_last = 0
            then format('dropped: after the window, which ends with the {}th', skip + take)
        when dropped = 'not the last' then 'dropped: before the last'
        when dropped = 'not above nought' then 'dropped: 0 or less'
        when dropped = 'among the lowest' then format('dropped: one of the {} lowest', trim)
        when dropped = 'among the highest' then format('dropped: one of the {} highest', trim)
        else 'dropped: ' || dropped
    end as "use"
from use
join chosen using (run_id, phase)
cross join chunk_rule as rule
where use.unit is not distinct from yields;
