-- Which pages lose events?
-- The script numbers the events of each page that a visitor opens, so a number that never came is an event that was lost. Looked at are pages that were opened among the latest 20,000 events; where number 1 is not there, it is asked for older ones, of 1,000 pages at most. Anybody can send numbers.
-- group: How complete the figures are
-- none: None is missing.
-- heads: documents = opened pages, events = events that came, since = looked at since
-- hidden: source, contact_uid
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
    -- From the latest back: the planner would read all of them first.
    SELECT source FROM (
      SELECT source FROM events WHERE contact_id = whose.contact_id AND id < (SELECT id FROM first) ORDER BY id DESC LIMIT 20000) AS before
    WHERE source = whose.source LIMIT 1) AS events
), begun AS MATERIALIZED (
  SELECT * FROM documents WHERE lowest = 1 OR source IN (SELECT source FROM open) AND source NOT IN (SELECT source FROM older)
)
SELECT json_build_object(
  'cannot_be_told', (SELECT 'none of the latest 20,000 events is of a page that numbers its events from 1, as the script does unless it has stamp: false' WHERE NOT EXISTS (SELECT FROM begun)),
  'documents', (SELECT count(*) FROM begun),
  'events', (SELECT coalesce(sum(events), 0) FROM begun),
  'missing', (SELECT coalesce(sum(missing), 0) FROM begun),
  'since', (SELECT received_at FROM first),
  'data', (SELECT coalesce(json_agg(one), '[]') FROM (
    SELECT source, told(contact_uid) AS contact_uid, json_build_object('id', key_of(:'workspace', 'contact', contact_uid), 'unique_id', told(contact_uid), 'name', coalesce(to_json(name_in(data)), told(contact_uid))) AS contact,
      began, events, missing
    FROM begun LEFT JOIN contacts ON contacts.id = key_of(:'workspace', 'contact', contact_uid)
    WHERE missing > 0 ORDER BY missing DESC, began, source LIMIT 200) AS one)
) AS answer;
