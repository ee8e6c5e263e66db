-- Who does most in an account?
-- Finds whom to talk to at a customer: their events in this account, in this time and in the time before.
-- group: People and accounts
-- :account: uid of the account
-- :limit = '50': rows
WITH people AS MATERIALIZED (
  SELECT contact AS id, sum(events) AS events, sum(before) AS before FROM (
    SELECT contact, events_in(events, low, high) AS events, events_in(events, low_before, high_before) AS before
    FROM months_asked(:'days', :'days_before', (SELECT past FROM counted WHERE workspace = :'workspace')) AS months JOIN active USING (month)
    WHERE workspace = :'workspace' AND account = key_of(:'workspace', 'account', :'account')
    UNION ALL
    SELECT contact, events_in(events, low, high), events_in(events, low_before, high_before)
    FROM hours_asked(:'hours', :'hours_before') AS days JOIN hours USING (day)
    WHERE workspace = :'workspace' AND account = key_of(:'workspace', 'account', :'account')) AS did
  GROUP BY 1
), top AS (
  SELECT * FROM people WHERE events > 0 ORDER BY events DESC, id LIMIT :'limit'::int
)
SELECT json_build_object(
  'total', (SELECT coalesce(sum(events), 0) FROM people), 'before', (SELECT coalesce(sum(before), 0) FROM people),
  'data', (SELECT coalesce(json_agg(json_build_object('id', id, 'key', coalesce(told(unique_id), to_json(id)),
      'name', coalesce(to_json(name_in(data)), told(unique_id), to_json(id)), 'events', events, 'before', before) ORDER BY events DESC, id), '[]')
    FROM top LEFT JOIN contacts USING (id))
) AS answer;
