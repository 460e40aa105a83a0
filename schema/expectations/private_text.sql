-- A text of the ledger that holds an address, a host, a user or a key: redaction would change it.
-- severity: error
select
    run_id,
    log_id,
    line,
    format('{}.{}, {} row(s): {}', table_name, column_name, rows, shown) as about
from private_text;
