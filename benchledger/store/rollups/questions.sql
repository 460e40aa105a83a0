-- What is asked of the streams in temp table asked, each question once.
select
    asked.question, rule.skip, rule.take, rule.skip_last, rule.positive_only, rule.statistic, rule.average_of, rule.trim,
    rule.trim_from, rule.ranks = 'mean' as is_mean_of_lanes, list(distinct asked.stream_id) as streams
from asked
join rule on rule.rule = asked.rule
group by all
order by asked.question
