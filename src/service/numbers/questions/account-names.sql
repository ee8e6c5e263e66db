-- Who uses which feature, and who stopped using it?
-- Shows who uses what; of accounts, by the events that name one. The most frequent come first, and it says how many different ones did any of it. Of each a hundred names a month are kept.
-- group: Features and pages
-- heads: of = who, active = how many did any of it, fell = used less, rose = used more
-- :of = 'account': account or contact
-- :account = '': uid of one account
-- :event_uid = '': name of one event
-- :limit = '1000': rows
WITH parts AS MATERIALIZED (
  -- An hour of the clock may come twice.
  SELECT times.*, (extract(epoch FROM lower(clock) AT TIME ZONE zone) * 1000)::bigint - 3600000 AS first, (extract(epoch FROM upper(clock) AT TIME ZONE zone) * 1000)::bigint AS until
  FROM times_of(:'days', :'hours', :'days_before', :'hours_before', (SELECT past FROM counted WHERE workspace = :'workspace')) AS times
    CROSS JOIN (SELECT coalesce((SELECT zone FROM workspaces WHERE name = :'workspace'), 'UTC') AS zone) AS zones
), months AS MATERIALIZED (
  SELECT * FROM months_asked(:'days', :'days_before', (SELECT past FROM counted WHERE workspace = :'workspace'))
), by_month AS MATERIALIZED (
  SELECT account AS id, name, month, days & mask AS days, events_in(events, low, high) AS events, events_in(events, low_before, high_before) AS before
  FROM months JOIN account_names USING (month)
  WHERE :'of' = 'account' AND workspace = :'workspace' AND account_names.month BETWEEN (SELECT min(month) FROM months) AND (SELECT max(month) FROM months)
    AND (:'event_uid' = '' OR name = left(:'event_uid', 256)) AND (:'account' = '' OR account = key_of(:'workspace', 'account', :'account'))
  UNION ALL
  SELECT contact, name, month, days & mask, events_in(events, low, high), events_in(events, low_before, high_before)
  FROM months JOIN contact_names USING (month)
  WHERE :'of' = 'contact' AND workspace = :'workspace' AND contact_names.month BETWEEN (SELECT min(month) FROM months) AND (SELECT max(month) FROM months)
    AND (:'event_uid' = '' OR name = left(:'event_uid', 256))
), by_hour AS MATERIALIZED (
  SELECT CASE :'of' WHEN 'account' THEN account ELSE contact_id END AS id, name, is_now, CASE WHEN isempty(span) THEN (extract(epoch FROM day + hour * interval '1 hour' - lower(clock)) / 3600)::int ELSE day - lower(span) END AS step, count(*) AS events
  FROM parts CROSS JOIN LATERAL (
    SELECT contact_id, account, name, day, hour FROM counted_events
    WHERE workspace = :'workspace' AND :'event_uid' NOT IN ('', 'pageview') AND event_uid = :'event_uid' AND left(event_uid, 64) = left(:'event_uid', 64)
      AND event_uid <> 'pageview' AND id >= id_at(first)
    UNION ALL
    SELECT contact_id, account, name, day, hour FROM counted_events
    WHERE workspace = :'workspace' AND :'event_uid' IN ('', 'pageview') AND :'event_uid' IN ('', event_uid) AND id >= id_at(first) AND id < id_at(until + 3600000)
      AND (origin_id IS NOT NULL OR occurred_at < received_at - 3600000) IS NOT TRUE
    UNION ALL
    SELECT contact_id, account, name, day, hour FROM counted_events
    WHERE workspace = :'workspace' AND :'event_uid' IN ('', 'pageview') AND :'event_uid' IN ('', event_uid) AND at >= first AND at < until
      AND (origin_id IS NOT NULL OR occurred_at < received_at - 3600000)) AS events
  WHERE NOT isempty(clock) AND day + hour * interval '1 hour' <@ clock AND (:'of' = 'contact' OR account <> '00000000-0000-0000-0000-000000000000')
    AND (:'account' = '' OR account = key_of(:'workspace', 'account', :'account')) GROUP BY 1, 2, 3, 4
), counts AS MATERIALIZED (
  SELECT id, name AS event_uid, sum(events) AS events, sum(before) AS before FROM (
    SELECT id, name, events, before FROM by_month
    UNION ALL SELECT id, name, CASE WHEN is_now THEN events ELSE 0 END, CASE WHEN is_now THEN 0 ELSE events END FROM by_hour) AS did
  GROUP BY 1, 2 HAVING sum(events) > 0 OR sum(before) > 0
), by_day AS (
  SELECT month, ARRAY[
    sum(get_bit(days, 0)), sum(get_bit(days, 1)), sum(get_bit(days, 2)), sum(get_bit(days, 3)), sum(get_bit(days, 4)), sum(get_bit(days, 5)),
    sum(get_bit(days, 6)), sum(get_bit(days, 7)), sum(get_bit(days, 8)), sum(get_bit(days, 9)), sum(get_bit(days, 10)), sum(get_bit(days, 11)),
    sum(get_bit(days, 12)), sum(get_bit(days, 13)), sum(get_bit(days, 14)), sum(get_bit(days, 15)), sum(get_bit(days, 16)), sum(get_bit(days, 17)),
    sum(get_bit(days, 18)), sum(get_bit(days, 19)), sum(get_bit(days, 20)), sum(get_bit(days, 21)), sum(get_bit(days, 22)), sum(get_bit(days, 23)),
    sum(get_bit(days, 24)), sum(get_bit(days, 25)), sum(get_bit(days, 26)), sum(get_bit(days, 27)), sum(get_bit(days, 28)), sum(get_bit(days, 29)),
    sum(get_bit(days, 30))] AS counts
  FROM (SELECT id, month, bit_or(days) AS days FROM by_month GROUP BY 1, 2) AS own GROUP BY 1
), steps AS (
  SELECT month + at::int - 1 - (SELECT lower(span) FROM parts WHERE is_now) AS step, count
  FROM by_day CROSS JOIN LATERAL unnest(counts) WITH ORDINALITY AS each (count, at) WHERE count > 0
  UNION ALL SELECT step, count(DISTINCT id) FROM by_hour WHERE is_now GROUP BY 1
), ranked AS MATERIALIZED (
  SELECT *, row_number() OVER (ORDER BY events DESC, id, event_uid) AS place, row_number() OVER (ORDER BY events - before, before DESC, id, event_uid) AS fall,
         row_number() OVER (ORDER BY before - events, before DESC, id, event_uid) AS rise FROM counts
), named AS MATERIALIZED (
  SELECT place, fall, rise, events, before, json_build_object('id', id, 'key', coalesce(told(unique_id), to_json(id)),
    'name', coalesce(to_json(name_in(data)), told(unique_id), to_json(id)), 'event_uid', told(event_uid), 'events', events, 'before', before) AS one
  FROM ranked LEFT JOIN (
    SELECT id, unique_id, data FROM accounts WHERE :'of' = 'account' UNION ALL SELECT id, unique_id, data FROM contacts WHERE :'of' = 'contact') AS records USING (id)
  WHERE place <= :'limit'::int OR fall <= 50 OR rise <= 50
)
SELECT json_build_object(
  'total', (SELECT coalesce(sum(events), 0) FROM counts), 'before', (SELECT coalesce(sum(before), 0) FROM counts),
  'data', (SELECT coalesce(json_agg(one ORDER BY place), '[]') FROM named WHERE place <= :'limit'::int AND events > 0),
  'fell', (SELECT coalesce(json_agg(one ORDER BY fall), '[]') FROM named WHERE fall <= 50 AND events < before),
  'rose', (SELECT coalesce(json_agg(one ORDER BY rise), '[]') FROM named WHERE rise <= 50 AND events > before AND (SELECT sum(before) FROM counts) > 0),
  'active', json_build_object(
    'total', (SELECT count(DISTINCT id) FROM counts WHERE events > 0), 'before', (SELECT count(DISTINCT id) FROM counts WHERE before > 0),
    'counts', (SELECT json_agg(coalesce(count, 0) ORDER BY step)
      FROM (SELECT generate_series(0, steps - 1) AS step FROM parts WHERE is_now) AS every LEFT JOIN steps USING (step)))
) AS answer;
