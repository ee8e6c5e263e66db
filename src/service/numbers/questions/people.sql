-- Which contacts do most in an account?
-- Their events in it, in a time and in the time before.
-- :workspace: whose data
-- :account: uid of the account
-- :days: such as [2026-11-01,2026-11-30], or empty
-- :hours = 'empty': of the clock, of the last nine days, such as [2026-11-29 13:00,2026-11-30 13:00)
-- :days_before: what they stand against
-- :hours_before = 'empty': and of these
-- :limit = '50': contacts that are told
WITH parts AS MATERIALIZED (
  SELECT is_now, span * daterange((SELECT past FROM counted WHERE workspace = :'workspace'), NULL) AS kept, clock
  FROM (VALUES (TRUE, :'days'::daterange, :'hours'::tsrange), (FALSE, :'days_before'::daterange, :'hours_before'::tsrange)) AS parts (is_now, span, clock)
), did AS MATERIALIZED (
  SELECT contact, is_now, day, events FROM (
    SELECT contact, month + generate_subscripts(events, 1) - 1 AS day, unnest(events) AS events FROM active
    WHERE workspace = :'workspace' AND account = key_of(:'workspace', 'account', :'account')
      AND month > (SELECT min(lower(kept)) FROM parts) - 31 AND month < (SELECT max(upper(kept)) FROM parts)) AS by_day
    JOIN parts ON day <@ kept
  WHERE events > 0
  UNION ALL
  SELECT contact, is_now, at::date, events FROM (
    SELECT contact, is_now, clock, day + (generate_subscripts(events, 1) - 1) * interval '1 hour' AS at, unnest(events) AS events
    FROM parts JOIN hours ON day >= lower(clock)::date AND day <= upper(clock)::date
    WHERE workspace = :'workspace' AND account = key_of(:'workspace', 'account', :'account')) AS by_hour
  WHERE events > 0 AND at <@ clock
), people AS MATERIALIZED (
  SELECT contact AS id, coalesce(sum(events) FILTER (WHERE is_now), 0) AS events, coalesce(sum(events) FILTER (WHERE NOT is_now), 0) AS before
  FROM did GROUP BY 1
), top AS (
  SELECT * FROM people WHERE events > 0 ORDER BY events DESC, id LIMIT :'limit'::int
)
SELECT json_build_object(
  'total', (SELECT coalesce(sum(events), 0) FROM people), 'before', (SELECT coalesce(sum(before), 0) FROM people),
  'data', (SELECT coalesce(json_agg(json_build_object('id', id, 'key', coalesce(told(unique_id), to_json(id)),
      'name', coalesce(to_json(name_in(data)), told(unique_id), to_json(id)), 'events', events, 'before', before) ORDER BY events DESC, id), '[]')
    FROM top LEFT JOIN contacts USING (id))
) AS answer;
