-- How often did events of each name come, or page views of each path, host or referrer?
-- By days or by hours, against a time before; a name that came then is told, though none has come now. Keys that a day has not kept of its own are among the others, and so is all of days whose events are gone.
-- :workspace: whose data
-- :kind = 'name': name, path, host or referrer
-- :key = '': of this key alone
-- :account = '': names of this account alone, by uid; of hours there is the sum alone
-- :days: such as [2026-11-01,2026-11-30], or empty
-- :hours = 'empty': of the clock, of the last nine days, such as [2026-11-29 13:00,2026-11-30 13:00)
-- :days_before: what they stand against
-- :hours_before = 'empty': and of these
-- :most = '50': keys that are told
-- :series = '8': keys of which each step is told
WITH parts AS MATERIALIZED (
  SELECT * FROM times_of(:'days', :'hours', :'days_before', :'hours_before', (SELECT past FROM counted WHERE workspace = :'workspace'))
), counted AS MATERIALIZED (
  SELECT is_now, day - lower(span) AS step, key, events::int AS events FROM parts JOIN days ON day >= lower(span) AND day < upper(span)
  WHERE workspace = :'workspace' AND :'account' = '' AND kind = :'kind' AND (key = :'key' OR :'key' = '')
  UNION ALL
  SELECT is_now, (extract(epoch FROM day + (at - 1) * interval '1 hour' - lower(clock)) / 3600)::int, key, each.events::int
  FROM parts JOIN days ON day >= lower(clock)::date AND day <= upper(clock)::date CROSS JOIN LATERAL each_of(hours) AS each
  WHERE workspace = :'workspace' AND :'account' = '' AND kind = :'kind' AND (key = :'key' OR :'key' = '') AND day + (at - 1) * interval '1 hour' <@ clock
  UNION ALL
  SELECT is_now, day - lower(span), '', CASE :'kind' WHEN 'name' THEN events::int WHEN 'path' THEN views::int END
  FROM parts JOIN totals ON day >= lower(span) AND day < upper(span)
  WHERE workspace = :'workspace' AND :'kind' IN ('name', 'path') AND :'key' = '' AND :'account' = ''
  UNION ALL
  SELECT is_now, month + at - 1 - lower(span), name, each.events::int FROM account_names CROSS JOIN LATERAL each_of(account_names.events) AS each JOIN parts ON month + at - 1 <@ kept
  WHERE workspace = :'workspace' AND :'account' <> '' AND account = key_of(:'workspace', 'account', :'account') AND (name = :'key' OR :'key' = '')
    AND month > (SELECT min(lower(span)) FROM parts) - 31 AND month < (SELECT max(upper(span)) FROM parts)
  UNION ALL
  SELECT is_now, (extract(epoch FROM day + (at - 1) * interval '1 hour' - lower(clock)) / 3600)::int, '', each.events::int
  FROM parts JOIN hours ON day >= lower(clock)::date AND day <= upper(clock)::date CROSS JOIN LATERAL each_of(hours.events) AS each
  WHERE workspace = :'workspace' AND :'account' <> '' AND account = key_of(:'workspace', 'account', :'account') AND day + (at - 1) * interval '1 hour' <@ clock
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
  'data', (SELECT coalesce(json_agg(json_build_object('key', told(key), 'events', events, 'before', before, 'counts', counts)
                                    ORDER BY events DESC, key), '[]')
           FROM top LEFT JOIN series USING (key)),
  'others', (SELECT json_build_object('events', coalesce(sum(events), 0), 'counts', (SELECT counts FROM series WHERE key = ''))
             FROM steps WHERE key = '')
) AS answer;
