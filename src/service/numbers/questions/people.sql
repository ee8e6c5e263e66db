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
  SELECT * FROM times_of(:'days', :'hours', :'days_before', :'hours_before', (SELECT past FROM counted WHERE workspace = :'workspace'))
), did AS MATERIALIZED (
  SELECT contact, is_now, events_in(events, low, high) AS events
  FROM parts CROSS JOIN LATERAL months_of(kept) AS own JOIN active USING (month)
  WHERE workspace = :'workspace' AND account = key_of(:'workspace', 'account', :'account')
  UNION ALL
  SELECT contact, is_now, events_in(events, low, high)
  FROM parts CROSS JOIN LATERAL days_of(clock) AS own JOIN hours USING (day)
  WHERE workspace = :'workspace' AND account = key_of(:'workspace', 'account', :'account')
), people AS MATERIALIZED (
  SELECT contact AS id, coalesce(sum(events) FILTER (WHERE is_now), 0) AS events, coalesce(sum(events) FILTER (WHERE NOT is_now), 0) AS before
  FROM did WHERE events > 0 GROUP BY 1
), top AS (
  SELECT * FROM people WHERE events > 0 ORDER BY events DESC, id LIMIT :'limit'::int
)
SELECT json_build_object(
  'total', (SELECT coalesce(sum(events), 0) FROM people), 'before', (SELECT coalesce(sum(before), 0) FROM people),
  'data', (SELECT coalesce(json_agg(json_build_object('id', id, 'key', coalesce(told(unique_id), to_json(id)),
      'name', coalesce(to_json(name_in(data)), told(unique_id), to_json(id)), 'events', events, 'before', before) ORDER BY events DESC, id), '[]')
    FROM top LEFT JOIN contacts USING (id))
) AS answer;
