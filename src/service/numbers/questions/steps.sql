-- How many take these steps, one after the other?
-- Each step counts those that did it after the step before, within so many days of their first one, of the latest 200,000 events of each name. Accounts are those of the first step's events. `stopped` are those of whom it was the last step, the latest 50.
-- :workspace: whose data
-- :first: name of the event of the first step
-- :second: name of the second
-- :third = '': name of the third, if any
-- :fourth = '': name of the fourth, if any
-- :fifth = '': name of the fifth, if any
-- :within = '7': days
-- :from: the first day on which they begin, such as 2026-11-01
-- :to: the last such day
WITH named (step, event_uid) AS (
  SELECT * FROM (VALUES (1, :'first'), (2, :'second'), (3, :'third'), (4, :'fourth'), (5, :'fifth')) AS named (step, event_uid)
  WHERE event_uid <> ''
), did AS MATERIALIZED (
  SELECT step, contact_id, account_uid, at, day FROM named CROSS JOIN LATERAL (
    SELECT contact_id, account_uid, at, day FROM counted_events
    WHERE workspace = :'workspace' AND event_uid = named.event_uid AND event_uid <> 'pageview'
      AND left(event_uid, 64) = left(named.event_uid, 64)
      AND day >= :'from'::date AND received_at >= (SELECT (extract(epoch FROM :'from'::date - interval '1 day') * 1000)::bigint)
    ORDER BY id DESC LIMIT 200000) AS latest
  UNION ALL
  SELECT step, contact_id, account_uid, at, day FROM named CROSS JOIN LATERAL (
    SELECT contact_id, account_uid, at, day FROM counted_events
    WHERE workspace = :'workspace' AND named.event_uid = 'pageview' AND event_uid = 'pageview'
      AND day >= :'from'::date AND received_at >= (SELECT (extract(epoch FROM :'from'::date - interval '1 day') * 1000)::bigint)
    ORDER BY id DESC LIMIT 200000) AS latest
), one AS (
  SELECT contact_id, min(at) AS began, min(at) AS at, min(account_uid COLLATE "C") AS account_uid
  FROM did WHERE step = 1 AND day <= :'to'::date GROUP BY contact_id
), two AS (
  SELECT contact_id, began, min(did.at) AS at, one.account_uid FROM one JOIN did USING (contact_id)
  WHERE step = 2 AND did.at BETWEEN one.at AND began + :'within'::int * 86400000::bigint GROUP BY contact_id, began, one.account_uid
), three AS (
  SELECT contact_id, began, min(did.at) AS at, two.account_uid FROM two JOIN did USING (contact_id)
  WHERE step = 3 AND did.at BETWEEN two.at AND began + :'within'::int * 86400000::bigint GROUP BY contact_id, began, two.account_uid
), four AS (
  SELECT contact_id, began, min(did.at) AS at, three.account_uid FROM three JOIN did USING (contact_id)
  WHERE step = 4 AND did.at BETWEEN three.at AND began + :'within'::int * 86400000::bigint GROUP BY contact_id, began, three.account_uid
), five AS (
  SELECT contact_id, began, min(did.at) AS at, four.account_uid FROM four JOIN did USING (contact_id)
  WHERE step = 5 AND did.at BETWEEN four.at AND began + :'within'::int * 86400000::bigint GROUP BY contact_id, began, four.account_uid
), taken (step, contact_id, account_uid, began) AS (
  SELECT 1, contact_id, account_uid, began FROM one UNION ALL SELECT 2, contact_id, account_uid, began FROM two
  UNION ALL SELECT 3, contact_id, account_uid, began FROM three UNION ALL SELECT 4, contact_id, account_uid, began FROM four
  UNION ALL SELECT 5, contact_id, account_uid, began FROM five
), last AS MATERIALIZED (
  SELECT *, row_number() OVER (PARTITION BY step ORDER BY began DESC, contact_id) AS place
  FROM (SELECT contact_id, account_uid, began, max(step) AS step FROM taken GROUP BY 1, 2, 3) AS last
), stopped AS (
  SELECT step, json_agg(json_build_object('id', contact_id, 'unique_id', coalesce(told(contacts.unique_id), to_json(contact_id)), 'name', coalesce(to_json(name_in(contacts.data)), told(contacts.unique_id), to_json(contact_id)),
      'account', CASE WHEN account_uid <> '' THEN json_build_object('id', key_of(:'workspace', 'account', account_uid), 'unique_id', told(account_uid), 'name', coalesce(to_json(name_in(accounts.data)), told(account_uid))) END)
    ORDER BY place) AS stopped
  FROM last LEFT JOIN contacts ON contacts.id = contact_id LEFT JOIN accounts ON accounts.id = key_of(:'workspace', 'account', account_uid)
  WHERE place <= 50 GROUP BY step
)
SELECT json_build_object(
  'cut', (SELECT bool_or(events >= 200000) FROM (SELECT count(*) AS events FROM did GROUP BY step) AS counted),
  'data', (SELECT json_agg(one ORDER BY step) FROM (
    SELECT step, told(event_uid) AS event_uid, contacts, accounts, coalesce(stopped, '[]') AS stopped
    FROM (SELECT step, event_uid, count(contact_id) AS contacts, count(DISTINCT nullif(account_uid, '')) AS accounts
          FROM named LEFT JOIN taken USING (step) GROUP BY step, event_uid) AS counted LEFT JOIN stopped USING (step)) AS one)
) AS answer;
