-- How many take these steps, one after the other?
-- Each step counts those that did it after the step before, all within so many days of a start in this time. Who starts several times counts once, by the start that leads furthest. No event is two steps. Looked at are the latest 200,000 events of each name. Accounts are those of the starts. `stopped`: the latest 50 who did this step and none after it; at the last step they have taken all. `open`: how many of them may still go on, as the days since their latest start are not over.
-- group: Features and pages
-- page: /steps
-- heads: open = may go on, stopped = came this far, cut = only the latest events were looked at
-- hidden: step
-- :first: name of the event of the first step
-- :second: name of the second
-- :third = '': name of the third, if any
-- :fourth = '': name of the fourth, if any
-- :fifth = '': name of the fifth, if any
-- :within = '7': days from the first step to the last
WITH RECURSIVE named (step, event_uid) AS (
  SELECT * FROM (VALUES (1, :'first'), (2, :'second'), (3, :'third'), (4, :'fourth'), (5, :'fifth')) AS named (step, event_uid)
  WHERE event_uid <> ''
), span AS MATERIALIZED (
  -- The first moments of the first day and of the day after the last: some days have two midnights, some have none.
  SELECT min(moment) AS starts, max(moment) AS ends
  FROM workspaces, unnest(ARRAY[:'from'::date, :'to'::date + 1]) AS day CROSS JOIN LATERAL (
    SELECT (extract(epoch FROM least(day::timestamp AT TIME ZONE coalesce(zone, 'UTC'),
      (day - interval '1 hour') AT TIME ZONE coalesce(zone, 'UTC') + interval '1 hour')) * 1000)::bigint AS moment) AS of_day
  WHERE name = :'workspace'
), did AS MATERIALIZED (
  SELECT step, contact_id, account_uid, at, id FROM named CROSS JOIN LATERAL (
    SELECT contact_id, account_uid, at, id FROM counted_events
    WHERE workspace = :'workspace' AND event_uid = named.event_uid AND event_uid <> 'pageview'
      AND left(event_uid, 64) = left(named.event_uid, 64)
      AND at >= (SELECT starts FROM span) AND received_at >= (SELECT starts FROM span)
    ORDER BY id DESC LIMIT 200000) AS latest
  UNION ALL
  SELECT step, contact_id, account_uid, at, id FROM named CROSS JOIN LATERAL (
    SELECT contact_id, account_uid, at, id FROM counted_events
    WHERE workspace = :'workspace' AND named.event_uid = 'pageview' AND event_uid = 'pageview'
      AND at >= (SELECT starts FROM span) AND received_at >= (SELECT starts FROM span)
    ORDER BY id DESC LIMIT 200000) AS latest
), starts AS MATERIALIZED (
  SELECT contact_id, max(at) AS latest, min(account_uid COLLATE "C") AS account_uid FROM did WHERE step = 1 AND at < (SELECT ends FROM span) GROUP BY contact_id
), one AS MATERIALIZED (
  -- Before each event: the latest start that has led to the step before, in time. An event is not its own step before.
  SELECT step, contact_id, at, id, max(at) FILTER (WHERE step = 1 AND at < (SELECT ends FROM span)) OVER (
      PARTITION BY contact_id ORDER BY at, CASE WHEN :'first' = :'second' THEN id END GROUPS BETWEEN UNBOUNDED PRECEDING AND CASE WHEN :'first' = :'second' THEN 1 ELSE 0 END PRECEDING) AS began
  FROM did
), two AS MATERIALIZED (
  SELECT step, contact_id, at, id, max(began) FILTER (WHERE step = 2) OVER (
      PARTITION BY contact_id ORDER BY at, CASE WHEN :'second' = :'third' THEN id END GROUPS BETWEEN UNBOUNDED PRECEDING AND CASE WHEN :'second' = :'third' THEN 1 ELSE 0 END PRECEDING) AS began
  FROM one WHERE step > 2 OR step = 2 AND at <= began + :'within'::int * 86400000::bigint
), three AS MATERIALIZED (
  SELECT step, contact_id, at, id, max(began) FILTER (WHERE step = 3) OVER (
      PARTITION BY contact_id ORDER BY at, CASE WHEN :'third' = :'fourth' THEN id END GROUPS BETWEEN UNBOUNDED PRECEDING AND CASE WHEN :'third' = :'fourth' THEN 1 ELSE 0 END PRECEDING) AS began
  FROM two WHERE step > 3 OR step = 3 AND at <= began + :'within'::int * 86400000::bigint
), four AS MATERIALIZED (
  SELECT step, contact_id, at, id, max(began) FILTER (WHERE step = 4) OVER (
      PARTITION BY contact_id ORDER BY at, CASE WHEN :'fourth' = :'fifth' THEN id END GROUPS BETWEEN UNBOUNDED PRECEDING AND CASE WHEN :'fourth' = :'fifth' THEN 1 ELSE 0 END PRECEDING) AS began
  FROM three WHERE step > 4 OR step = 4 AND at <= began + :'within'::int * 86400000::bigint
), taken AS (
  SELECT 1 AS step, contact_id, latest AS began FROM starts
  UNION ALL SELECT 2, contact_id, max(began) FROM one WHERE step = 2 AND at <= began + :'within'::int * 86400000::bigint GROUP BY contact_id
  UNION ALL SELECT 3, contact_id, max(began) FROM two WHERE step = 3 AND at <= began + :'within'::int * 86400000::bigint GROUP BY contact_id
  UNION ALL SELECT 4, contact_id, max(began) FROM three WHERE step = 4 AND at <= began + :'within'::int * 86400000::bigint GROUP BY contact_id
  UNION ALL SELECT 5, contact_id, max(began) FROM four WHERE step = 5 AND at <= began + :'within'::int * 86400000::bigint GROUP BY contact_id
), last AS MATERIALIZED (
  SELECT *, CASE WHEN step < (SELECT max(step) FROM named) AND latest + :'within'::int * 86400000::bigint > extract(epoch FROM now()) * 1000 THEN latest + :'within'::int * 86400000::bigint END AS open_until,
    row_number() OVER (PARTITION BY step ORDER BY began DESC, contact_id) AS place
  FROM (SELECT DISTINCT ON (contact_id) * FROM taken JOIN starts USING (contact_id) ORDER BY contact_id, step DESC) AS last
), shown AS MATERIALIZED (
  SELECT * FROM last WHERE place <= 50
), theirs AS MATERIALIZED (
  SELECT contact_id, did.step, event_uid, array_agg(at ORDER BY at) AS times FROM shown JOIN did USING (contact_id) JOIN named ON named.step = did.step
  WHERE did.step <= shown.step AND at BETWEEN began AND began + :'within'::int * 86400000::bigint GROUP BY 1, 2, 3
), run AS (
  SELECT contact_id, 1 AS step, :'first' AS event_uid, began AS at FROM shown
  UNION ALL
  SELECT contact_id, theirs.step, theirs.event_uid, CASE WHEN run.event_uid = theirs.event_uid THEN times[array_position(times, run.at) + 1]
    ELSE (SELECT min(time) FROM unnest(times) AS time WHERE time >= run.at) END
  FROM run JOIN theirs USING (contact_id) WHERE theirs.step = run.step + 1
), stopped AS (
  SELECT step, json_agg(json_build_object('id', contact_id, 'unique_id', coalesce(told(contacts.unique_id), to_json(contact_id)), 'name', coalesce(to_json(name_in(contacts.data)), told(contacts.unique_id), to_json(contact_id)),
      'account', CASE WHEN account_uid <> '' THEN json_build_object('id', key_of(:'workspace', 'account', account_uid), 'unique_id', told(account_uid), 'name', coalesce(to_json(name_in(accounts.data)), told(account_uid))) END,
      'times', times, 'open_until', open_until)
    ORDER BY place) AS stopped
  FROM shown JOIN (SELECT contact_id, json_agg(at ORDER BY step) AS times FROM run GROUP BY 1) AS times USING (contact_id)
    LEFT JOIN contacts ON contacts.id = contact_id LEFT JOIN accounts ON accounts.id = key_of(:'workspace', 'account', account_uid)
  GROUP BY step
)
SELECT json_build_object(
  'cut', (SELECT bool_or(events >= 200000) FROM (SELECT count(*) AS events FROM did GROUP BY step) AS counted),
  'data', (SELECT json_agg(one ORDER BY step) FROM (
    SELECT step, told(event_uid) AS event_uid, contacts, accounts, (SELECT count(open_until) FROM last WHERE last.step = counted.step) AS open, coalesce(stopped, '[]') AS stopped
    FROM (SELECT step, event_uid, count(contact_id) AS contacts, count(DISTINCT nullif(account_uid, '')) AS accounts
          FROM named LEFT JOIN (taken JOIN starts USING (contact_id)) USING (step) GROUP BY step, event_uid) AS counted LEFT JOIN stopped USING (step)) AS one)
) AS answer;
