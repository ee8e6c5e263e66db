-- What is known of a contact?
-- By its key, so it is fast in a table of any size. What it did counts here, whether it is left out or not.
-- :workspace: whose data
-- :contact: uid of the contact
WITH own AS MATERIALIZED (
  SELECT key_of(:'workspace', 'contact', :'contact') AS id
), ends AS (
  SELECT received_at FROM events WHERE contact_id = (SELECT id FROM own) AND origin_id IS NOT NULL
  UNION ALL (SELECT received_at FROM events WHERE contact_id = (SELECT id FROM own) AND origin_id IS NULL ORDER BY id LIMIT 20)
  UNION ALL (SELECT received_at FROM events WHERE contact_id = (SELECT id FROM own) AND origin_id IS NULL ORDER BY id DESC LIMIT 20)
), memberships AS (
  SELECT accounts.id, told(unique_id) AS unique_id, coalesce(to_json(name_in(data)), told(unique_id)) AS name
  FROM account_contacts JOIN accounts ON accounts.id = account_id WHERE contact_id = (SELECT id FROM own)
)
SELECT json_build_object(
  'events', (SELECT count(*) FROM events WHERE contact_id = (SELECT id FROM own)),
  'first_seen_at', (SELECT min(received_at) FROM ends),
  'last_seen_at', (SELECT max(received_at) FROM ends),
  'memberships', json_build_object(
    'total', (SELECT count(*) FROM memberships),
    'data', (SELECT coalesce(json_agg(one), '[]') FROM (SELECT * FROM memberships ORDER BY name #>> '{}', id LIMIT 200) AS one))
) AS answer;
