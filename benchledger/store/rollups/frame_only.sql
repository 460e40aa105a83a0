-- What only the twins among the logs of temp table chunk_claim have.
select distinct log_id, byte_offset
from stream_only
semi join (from chunk_claim where role = 'duplicate_stream') using (log_id)
