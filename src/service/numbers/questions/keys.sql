-- Which features, pages and referrers are used most?
-- The most frequent come first; one that came only in the time before is told, too, of names. Each day keeps the 2,000 most frequent; the others are counted together, and so are days whose events are gone by their age.
-- group: Features and pages
-- page: /
-- heads: kind = of what, others = others together
-- hidden: series
-- :kind = 'name': name, path, host or referrer
-- :key = '': one name, path, host or referrer
-- :account = '': uid of one account, for names of events
-- :contact = '': uid of one contact, for names of events
-- :most = '50': rows
-- :series = '8': keys of which each step is told
WITH parts AS MATERIALIZED (
  SELECT * FROM times_of(:'days', :'hours', :'days_before', :'hours_before', (SELECT past FROM counted WHERE workspace = :'workspace'))
), months AS MATERIALIZED (
  SELECT is_now, span, kept, month FROM parts CROSS JOIN LATERAL months_of(kept) AS months
), whose AS MATERIALIZED (
  SELECT key_of(:'workspace', 'contact', :'contact') AS contact WHERE :'contact' <> ''
  UNION
  SELECT contact FROM parts JOIN hours ON day >= lower(clock)::date AND day <= upper(clock)::date
  WHERE workspace = :'workspace' AND :'account' <> '' AND account = key_of(:'workspace', 'account', :'account')
), counted AS MATERIALIZED (
  SELECT is_now, day - lower(span) AS step, key, events::int AS events FROM parts JOIN days ON day >= lower(span) AND day < upper(span)
  WHERE workspace = :'workspace' AND :'account' || :'contact' = '' AND kind = :'kind' AND (key = :'key' OR :'key' = '')
  UNION ALL
  SELECT is_now, (extract(epoch FROM day + (at - 1) * interval '1 hour' - lower(clock)) / 3600)::int, key, each.events::int
  FROM parts JOIN days ON day >= lower(clock)::date AND day <= upper(clock)::date CROSS JOIN LATERAL each_of(hours) AS each
  WHERE workspace = :'workspace' AND :'account' || :'contact' = '' AND kind = :'kind' AND (key = :'key' OR :'key' = '') AND day + (at - 1) * interval '1 hour' <@ clock
  UNION ALL
  SELECT is_now, day - lower(span), '', CASE :'kind' WHEN 'name' THEN events::int WHEN 'path' THEN views::int END
  FROM parts JOIN totals ON day >= lower(span) AND day < upper(span)
  WHERE workspace = :'workspace' AND :'kind' IN ('name', 'path') AND :'key' = '' AND :'account' || :'contact' = ''
  UNION ALL
  SELECT is_now, month + at - 1 - lower(span), name, each.events::int FROM months JOIN account_names USING (month) CROSS JOIN LATERAL each_of(account_names.events) AS each
  WHERE workspace = :'workspace' AND :'account' <> '' AND account = key_of(:'workspace', 'account', :'account') AND (name = :'key' OR :'key' = '') AND month + at - 1 <@ kept
  UNION ALL
  SELECT is_now, month + at - 1 - lower(span), name, each.events::int FROM months JOIN contact_names USING (month) CROSS JOIN LATERAL each_of(contact_names.events) AS each
  WHERE workspace = :'workspace' AND :'contact' <> '' AND contact = key_of(:'workspace', 'contact', :'contact') AND (name = :'key' OR :'key' = '') AND month + at - 1 <@ kept
  UNION ALL
  SELECT is_now, CASE WHEN isempty(span) THEN (extract(epoch FROM day + hour * interval '1 hour' - lower(clock)) / 3600)::int ELSE day - lower(span) END, name, 1
  FROM parts CROSS JOIN whose CROSS JOIN LATERAL (
    SELECT name, day, hour FROM counted_events
    WHERE workspace = :'workspace' AND contact_id = contact AND id < (SELECT id FROM counted WHERE workspace = :'workspace')
      AND id >= id_at((extract(epoch FROM lower(clock)::date - interval '1 day') * 1000)::bigint)
      AND (:'account' = '' OR account_uid = :'account') AND (:'key' = '' OR event_uid = :'key')) AS events
  WHERE day + hour * interval '1 hour' <@ clock
), keys AS MATERIALIZED (
  SELECT key, coalesce(sum(events) FILTER (WHERE is_now), 0) AS events, coalesce(sum(events) FILTER (WHERE NOT is_now), 0) AS before
  FROM counted GROUP BY key
), top AS MATERIALIZED (
  SELECT key, events, before, events > 0 AND row_number() OVER (ORDER BY events DESC, key) <= :'series'::int AS is_series
  FROM keys WHERE key <> '' AND (events > 0 OR before > 0 AND :'kind' = 'name') ORDER BY events DESC, key LIMIT :'most'::int
), steps AS MATERIALIZED (
  SELECT coalesce(top.key, '') AS key, step, sum(counted.events) AS events
  FROM counted LEFT JOIN top ON top.key = counted.key AND is_series WHERE is_now GROUP BY 1, 2
), series AS (
  SELECT key, json_agg(coalesce(events, 0) ORDER BY step) AS counts
  FROM (SELECT key FROM top WHERE is_series UNION ALL SELECT '') AS keys
    CROSS JOIN (SELECT generate_series(0, steps - 1) AS step FROM parts WHERE is_now) AS every
    LEFT JOIN steps USING (key, step)
  GROUP BY key
)
SELECT json_build_object(
  'total', (SELECT coalesce(sum(events), 0) FROM keys), 'before', (SELECT coalesce(sum(before), 0) FROM keys),
  'trend', (SELECT CASE WHEN :'key' = '' AND sum(before) > 0 THEN trend_of(sum(events), sum(before)) END FROM keys),
  'data', (SELECT coalesce(json_agg(json_build_object('key', told(key), 'events', events, 'before', before, 'trend', CASE WHEN (SELECT sum(before) FROM keys) > 0 THEN trend_of(events, before) END, 'counts', counts)
                                    ORDER BY events DESC, key), '[]')
           FROM top LEFT JOIN series USING (key)),
  'others', (SELECT json_build_object('events', coalesce(sum(events), 0), 'counts', (SELECT counts FROM series WHERE key = ''))
             FROM steps WHERE key = '')
) AS answer;
