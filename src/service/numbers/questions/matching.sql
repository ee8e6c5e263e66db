-- Who used a feature or saw a page last, and where did they come from?
-- Fill in one field or several: it tells the events, pages, referrers, people and accounts of what fits. Looked at are the latest 20,000 events that fit, among the latest 200,000 where neither a name nor an account is given; `since` says from when on where there are more.
-- group: Features and pages
-- heads: busiest = accounts, fell = lost most, rose = gained most, last = last one, since = looked at since
-- :account = '': uid of the account
-- :event_uid = '': name of one event
-- :host = '': page views of one host, such as shop.example
-- :path = '': page views of one path, such as /prices
-- :referrer = '': page views that came from one host
WITH parts AS MATERIALIZED (
  SELECT * FROM times_of(:'days', :'hours', :'days_before', :'hours_before', (SELECT past FROM counted WHERE workspace = :'workspace'))
), own AS MATERIALIZED (
  SELECT day, zone, id_at((extract(epoch FROM day::timestamp AT TIME ZONE zone) * 1000)::bigint) AS id
  FROM (SELECT min(least(lower(kept), lower(clock)::date)) AS day FROM parts) AS days
    CROSS JOIN (SELECT coalesce((SELECT zone FROM workspaces WHERE name = :'workspace'), 'UTC') AS zone) AS zones
), since AS MATERIALIZED (
  SELECT is_cut, first.day, id_at((extract(epoch FROM first.day::timestamp AT TIME ZONE zone) * 1000)::bigint) AS id FROM own CROSS JOIN LATERAL (
    SELECT max(day) IS NOT NULL AS is_cut, coalesce(max(day) + 1, own.day) AS day FROM (
      SELECT month + at - 1 AS day, sum(each.events) OVER (ORDER BY month + at DESC) AS up_to FROM account_days CROSS JOIN LATERAL each_of(account_days.events) AS each
      WHERE workspace = :'workspace' AND :'account' <> '' AND account = key_of(:'workspace', 'account', :'account')
        AND month > (SELECT day FROM own) - 31 AND month + at - 1 >= (SELECT day FROM own)) AS daily
    WHERE up_to > 20000) AS first
), bound AS MATERIALIZED (
  SELECT id FROM events WHERE :'account' = '' AND :'event_uid' IN ('', 'pageview') AND workspace = :'workspace' AND id >= (SELECT id FROM own)
  ORDER BY id DESC OFFSET 200000 LIMIT 1
), looked AS (
  SELECT events.* FROM (
    SELECT DISTINCT contact FROM active
    WHERE workspace = :'workspace' AND :'account' <> '' AND account = key_of(:'workspace', 'account', :'account')
      AND month > (SELECT day FROM since) - 31 AND last_day(month, days) >= (SELECT day FROM since)) AS members CROSS JOIN LATERAL (
    SELECT id, received_at, at, contact_id, contact_uid, account_uid, event_uid, page, referrer_host FROM counted_events
    WHERE contact_id = contact AND workspace = :'workspace' AND account_uid = :'account' AND id >= (SELECT id FROM since) AND day >= (SELECT day FROM since)
    ORDER BY id DESC LIMIT 20000) AS events
  UNION ALL
  (SELECT id, received_at, at, contact_id, contact_uid, account_uid, event_uid, page, referrer_host FROM counted_events
   WHERE :'account' = '' AND :'event_uid' NOT IN ('', 'pageview') AND workspace = :'workspace' AND event_uid = :'event_uid'
     AND left(event_uid, 64) = left(:'event_uid', 64) AND event_uid <> 'pageview' AND id >= (SELECT id FROM own)
   ORDER BY id DESC LIMIT 20000)
  UNION ALL
  -- The latest first, whatever the planner thinks of how many fit.
  (SELECT id, received_at, at, contact_id, contact_uid, account_uid, event_uid, page, referrer_host FROM counted_events
   WHERE :'account' = '' AND :'event_uid' IN ('', 'pageview') AND workspace = :'workspace' AND id >= (SELECT id FROM own)
   ORDER BY id DESC LIMIT 200000)
), fitting AS MATERIALIZED (
  SELECT * FROM looked
  WHERE (:'event_uid' = '' OR event_uid = :'event_uid') AND (:'host' = '' OR split_part(page, '/', 1) = :'host')
    AND (:'path' = '' OR left(substr(page, strpos(page, '/')), 256) = :'path')
    AND (:'referrer' = '' OR referrer_host = :'referrer')
  ORDER BY id DESC LIMIT 20000
), matching AS MATERIALIZED (
  SELECT is_now, received_at, contact_id, contact_uid, account_uid, left(event_uid, 256) AS name, left(substr(page, strpos(page, '/')), 256) AS path, referrer_host,
         CASE WHEN isempty(span) THEN (extract(epoch FROM date_trunc('hour', local) - lower(clock)) / 3600)::int ELSE local::date - lower(span) END AS step
  FROM (SELECT fitting.*, to_timestamp(at / 1000.0) AT TIME ZONE zone AS local FROM fitting CROSS JOIN own) AS fitting
    JOIN parts ON local::date <@ kept OR local <@ clock
), every AS MATERIALIZED (
  SELECT generate_series(0, steps - 1) AS step FROM parts WHERE is_now
), names AS MATERIALIZED (
  SELECT name AS key, count(*) FILTER (WHERE is_now) AS events, count(*) FILTER (WHERE NOT is_now) AS before,
         bool_or(is_now) AND row_number() OVER (ORDER BY count(*) FILTER (WHERE is_now) DESC, name) <= 8 AS is_series
  FROM matching GROUP BY name
), series AS (
  SELECT key, json_agg(coalesce(events, 0) ORDER BY every.step) AS counts
  FROM (SELECT key FROM names WHERE is_series UNION ALL SELECT NULL) AS keys CROSS JOIN every
    LEFT JOIN (SELECT CASE WHEN is_series THEN key END AS name, step, count(*) AS events FROM matching JOIN names ON key = name
               WHERE is_now GROUP BY 1, 2) AS counted ON counted.step = every.step AND counted.name IS NOT DISTINCT FROM keys.key
  GROUP BY key
), keys AS (
  SELECT kind, key, min(uid) AS uid, count(*) FILTER (WHERE is_now) AS events, count(*) FILTER (WHERE NOT is_now) AS before
  FROM matching CROSS JOIN LATERAL (VALUES
    ('pages', path, path), ('referrers', referrer_host, referrer_host), ('people', contact_id::text, contact_uid),
    ('busiest', nullif(account_uid, ''), account_uid)) AS keys (kind, key, uid)
  WHERE key IS NOT NULL GROUP BY 1, 2
), ranked AS MATERIALIZED (
  SELECT *, CASE kind WHEN 'busiest' THEN key_of(:'workspace', 'account', uid) WHEN 'people' THEN key::uuid END AS id,
         row_number() OVER (PARTITION BY kind ORDER BY events DESC, key) AS place,
         row_number() OVER (PARTITION BY kind ORDER BY events - before, before DESC, key) AS fall,
         row_number() OVER (PARTITION BY kind ORDER BY before - events, before DESC, key) AS rise FROM keys
), named AS MATERIALIZED (
  SELECT kind, events, before, place, fall, rise, CASE WHEN kind IN ('people', 'busiest')
      THEN json_build_object('id', id, 'key', told(uid), 'name', coalesce(to_json(name_in(coalesce(contacts.data, accounts.data))), told(uid)), 'events', events, 'before', before)
      ELSE json_build_object('key', told(key), 'events', events, 'before', before) END AS one
  FROM ranked LEFT JOIN contacts USING (id) LEFT JOIN accounts USING (id)
  WHERE place <= 50 OR kind = 'busiest' AND (fall <= 50 OR rise <= 50)
), whose AS MATERIALIZED (
  SELECT kind, is_now, step, key FROM matching CROSS JOIN LATERAL (VALUES
    ('contacts', contact_id::text), ('accounts', nullif(account_uid, ''))) AS whose (kind, key)
  WHERE key IS NOT NULL
), active AS (
  SELECT kind, json_build_object(
    'total', (SELECT count(DISTINCT key) FROM whose WHERE whose.kind = kinds.kind AND is_now),
    'before', (SELECT count(DISTINCT key) FROM whose WHERE whose.kind = kinds.kind AND NOT is_now),
    'counts', (SELECT json_agg(coalesce(count, 0) ORDER BY every.step) FROM every LEFT JOIN (
      SELECT step, count(DISTINCT key) AS count FROM whose WHERE whose.kind = kinds.kind AND is_now GROUP BY step) AS counted USING (step))) AS one
  FROM (VALUES ('contacts'), ('accounts')) AS kinds (kind)
)
SELECT json_build_object(
  'since', CASE WHEN (SELECT count(*) FROM fitting) = 20000 OR EXISTS (SELECT FROM bound) OR (SELECT is_cut FROM since)
           THEN (SELECT min(received_at) FROM fitting) END,
  'last', (SELECT max(received_at) FROM matching WHERE is_now),
  'events', json_build_object('total', (SELECT coalesce(sum(events), 0) FROM names), 'before', (SELECT coalesce(sum(before), 0) FROM names),
    'data', (SELECT coalesce(json_agg(json_build_object('key', told(key), 'events', events, 'before', before, 'counts', counts) ORDER BY events DESC, key), '[]')
             FROM names LEFT JOIN series USING (key)),
    'others', json_build_object('events', (SELECT coalesce(sum(events), 0) FROM names WHERE NOT is_series), 'counts', (SELECT counts FROM series WHERE key IS NULL))),
  'lists', (SELECT json_object_agg(kind, json_build_object(
      'total', (SELECT coalesce(sum(events), 0) FROM ranked WHERE ranked.kind = kinds.kind),
      'before', (SELECT coalesce(sum(before), 0) FROM ranked WHERE ranked.kind = kinds.kind),
      'data', (SELECT coalesce(json_agg(one ORDER BY place), '[]') FROM named WHERE named.kind = kinds.kind AND place <= 50 AND events > 0)))
    FROM (VALUES ('pages'), ('referrers'), ('people'), ('busiest')) AS kinds (kind)),
  'fell', (SELECT coalesce(json_agg(one ORDER BY fall), '[]') FROM named WHERE kind = 'busiest' AND fall <= 50 AND events < before),
  'rose', (SELECT coalesce(json_agg(one ORDER BY rise), '[]') FROM named WHERE kind = 'busiest' AND rise <= 50 AND events > before AND EXISTS (SELECT FROM ranked WHERE kind = 'busiest' AND before > 0)),
  'active', (SELECT json_object_agg(kind, one) FROM active)
) AS answer;
