-- outside a transaction
-- One that was broken off is there, and is not used.
DROP INDEX CONCURRENTLY IF EXISTS events_by_weight;

CREATE INDEX CONCURRENTLY events_by_weight ON events (workspace, weight);
