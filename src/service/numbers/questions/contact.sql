-- What is known of a contact?
-- How many events are stored, when the first and the last happened, and to which accounts the contact belongs. Its events count here also where the contact is left out of all other figures.
-- group: People and accounts
-- heads: memberships = accounts
-- :contact: uid of the contact
WITH own AS MATERIALIZED (
  SELECT key_of(:'workspace', 'contact', :'contact') AS id
), timed AS NOT MATERIALIZED (
  SELECT id, origin_id, CASE WHEN occurred_at BETWEEN received_at - 2592000000 AND received_at THEN occurred_at ELSE received_at END AS at
  FROM events WHERE contact_id = (SELECT id FROM own)
), ends AS MATERIALIZED (
  SELECT min(at) AS first, max(at) AS last FROM (
    SELECT at FROM timed WHERE origin_id IS NOT NULL
    UNION ALL (SELECT at FROM timed WHERE origin_id IS NULL ORDER BY id LIMIT 20)
    UNION ALL (SELECT at FROM timed WHERE origin_id IS NULL ORDER BY id DESC LIMIT 20)) AS either
), memberships AS (
  SELECT accounts.id, told(unique_id) AS unique_id, coalesce(to_json(name_in(data)), told(unique_id)) AS name
  FROM account_contacts JOIN accounts ON accounts.id = account_id WHERE contact_id = (SELECT id FROM own)
)
SELECT json_build_object(
  'events', (SELECT count(*) FROM events WHERE contact_id = (SELECT id FROM own)),
  -- What happened before the first came within 30 days of it, and what happened after the last came after it; an id says within an hour when.
  'first_seen_at', (SELECT least(first, (SELECT min(at) FROM timed WHERE origin_id IS NULL AND id < id_at(first + 2595600000))) FROM ends),
  'last_seen_at', (SELECT greatest(last, (SELECT max(at) FROM timed WHERE origin_id IS NULL AND id >= id_at(last - 3600000))) FROM ends),
  'memberships', json_build_object(
    'total', (SELECT count(*) FROM memberships),
    'data', (SELECT coalesce(json_agg(one), '[]') FROM (SELECT * FROM memberships ORDER BY name #>> '{}', id LIMIT 200) AS one))
) AS answer;
