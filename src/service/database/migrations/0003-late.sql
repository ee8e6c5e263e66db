-- outside a transaction
-- One that was broken off is there, and is not used.
DROP INDEX CONCURRENTLY IF EXISTS events_late;

-- Those whose ids do not say within an hour when they happened.
CREATE INDEX CONCURRENTLY events_late ON events
  (workspace, (CASE WHEN occurred_at BETWEEN received_at - 2592000000 AND received_at THEN occurred_at ELSE received_at END), id)
  WHERE origin_id IS NOT NULL OR occurred_at < received_at - 3600000;
