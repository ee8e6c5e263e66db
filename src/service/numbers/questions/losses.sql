-- Of which documents are events missing?
-- Of those that began among the latest 20,000 events, and whose numbers can be: how many events have come, and how many are missing by the highest number. Where number 1 is not there, it is asked for older ones, of 1,000 documents at most. Strangers can send numbers.
-- :workspace: whose data
WITH latest AS MATERIALIZED (
  SELECT source, stamp, number, contact_id, contact_uid, id, received_at, at FROM counted_events
  WHERE workspace = :'workspace' ORDER BY id DESC LIMIT 20000
), first AS (
  SELECT id, received_at FROM latest WHERE source IS NOT NULL ORDER BY id LIMIT 1
), numbers AS (
  SELECT source, number, count(*) AS events, min(contact_uid) AS contact_uid, min(at) AS began FROM latest WHERE source IS NOT NULL GROUP BY 1, 2
), documents AS MATERIALIZED (
  SELECT source, min(contact_uid) AS contact_uid, min(began) AS began, count(*) AS events, max(number) - count(*) AS missing, min(number) AS lowest
  FROM numbers GROUP BY source HAVING min(number) >= 1 AND max(events) = 1 AND max(number) <= 1000 + 11 * count(*)
), open AS MATERIALIZED (
  SELECT source FROM documents WHERE lowest > 1 ORDER BY began DESC LIMIT 1000
), older AS MATERIALIZED (
  SELECT DISTINCT events.source
  FROM (SELECT DISTINCT source, contact_id FROM latest WHERE (source IN (SELECT source FROM open)) IS TRUE) AS whose CROSS JOIN LATERAL (
    SELECT source FROM events WHERE events.contact_id = whose.contact_id AND events.source = whose.source AND events.id < (SELECT id FROM first) LIMIT 1) AS events
), begun AS MATERIALIZED (
  SELECT * FROM documents WHERE lowest = 1 OR source IN (SELECT source FROM open) AND source NOT IN (SELECT source FROM older)
)
SELECT json_build_object(
  'documents', (SELECT count(*) FROM begun),
  'events', (SELECT coalesce(sum(events), 0) FROM begun),
  'missing', (SELECT coalesce(sum(missing), 0) FROM begun),
  'since', (SELECT received_at FROM first),
  'data', (SELECT coalesce(json_agg(one), '[]') FROM (
    SELECT source, told(contact_uid) AS contact_uid, began, events, missing FROM begun
    WHERE missing > 0 ORDER BY missing DESC, began, source LIMIT 200) AS one)
) AS answer;
