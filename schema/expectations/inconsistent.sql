-- A row of the ledger that leads nowhere or contradicts another: a run without a case, a line beyond its log, ...
-- severity: error
select format('violated: {}; {} rows, for example {}', what, violations, example) as about
from kept.invariant
where violations > 0;
