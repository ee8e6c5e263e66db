-- Which features are there, and how many use each?
-- How many different contacts and accounts did it in a time, and the last day of each, whenever that was: of one account, contact or name the last days alone. Of a contact or an account a hundred names a month are kept.
-- group: Features and pages
-- page: /
-- heads: last_on = last used
-- :account = '': uid, of this account alone
-- :contact = '': uid, of this contact alone
-- :event_uid = '': of this name alone
-- :limit = '2000': rows
WITH own AS MATERIALIZED (
  SELECT :'days'::daterange AS days, :'hours'::tsrange AS clock, zone, coalesce(past, '1970-01-01') AS past, counted.id AS behind,
         ARRAY(SELECT generate_series(first, last, '1 day')::date) AS every_day, ARRAY(SELECT generate_series(date_trunc('month', first), last, '1 month')::date) AS every_month
  FROM counted CROSS JOIN (SELECT min(day) AS first, max(day) AS last FROM days WHERE workspace = :'workspace') AS kept
    CROSS JOIN (SELECT coalesce((SELECT zone FROM workspaces WHERE name = :'workspace'), 'UTC') AS zone) AS zones
  WHERE workspace = :'workspace'
), months AS MATERIALIZED (
  SELECT months.* FROM own CROSS JOIN LATERAL months_of(days * daterange(past, NULL)) AS months WHERE :'account' || :'contact' || :'event_uid' = ''
), times AS MATERIALIZED (
  -- An hour of the clock may come twice.
  SELECT clock, behind, (extract(epoch FROM lower(clock) AT TIME ZONE zone) * 1000)::bigint - 3600000 AS first, (extract(epoch FROM upper(clock) AT TIME ZONE zone) * 1000)::bigint AS until
  FROM own WHERE NOT isempty(clock) AND :'account' || :'contact' || :'event_uid' = ''
), by_hour AS MATERIALIZED (
  SELECT name, contact_id, account FROM times CROSS JOIN LATERAL (
    SELECT name, contact_id, account, day, hour FROM counted_events
    WHERE workspace = :'workspace' AND id >= id_at(first) AND id < least(behind, id_at(until + 3600000))
      AND (origin_id IS NOT NULL OR occurred_at < received_at - 3600000) IS NOT TRUE
    UNION ALL
    SELECT name, contact_id, account, day, hour FROM counted_events
    WHERE workspace = :'workspace' AND at >= first AND at < until AND id < behind
      AND (origin_id IS NOT NULL OR occurred_at < received_at - 3600000)) AS events
  WHERE day + hour * interval '1 hour' <@ clock
), did AS MATERIALIZED (
  -- Of each month as a whole: by keys each row would be looked up by itself.
  SELECT name, count(contact) AS contacts, count(account) AS accounts FROM (
    SELECT contact, NULL::uuid AS account, name COLLATE "C" AS name FROM months CROSS JOIN LATERAL (
      SELECT name, contact, days FROM contact_names WHERE workspace = :'workspace' AND contact_names.month = months.month OFFSET 0) AS each WHERE days & mask <> 0::bit(31)
    UNION
    SELECT NULL, account, name FROM months CROSS JOIN LATERAL (
      SELECT name, account, days FROM account_names WHERE workspace = :'workspace' AND account_names.month = months.month OFFSET 0) AS each WHERE days & mask <> 0::bit(31)
    UNION SELECT contact_id, NULL, name FROM by_hour
    UNION SELECT NULL, account, name FROM by_hour WHERE account <> '00000000-0000-0000-0000-000000000000') AS each GROUP BY 1
), known AS (
  SELECT name, max(last_on) AS last_on FROM (
    SELECT key AS name, day AS last_on FROM days
    WHERE :'account' || :'contact' = '' AND workspace = :'workspace' AND kind = 'name' AND :'event_uid' IN ('', key) AND day = ANY((SELECT every_day FROM own)::date[]) AND events > 0
    UNION ALL
    SELECT name, last_day(month, days) FROM account_names
    WHERE :'account' <> '' AND workspace = :'workspace' AND account = key_of(:'workspace', 'account', :'account') AND month = ANY((SELECT every_month FROM own)::date[])
    UNION ALL
    SELECT name, last_day(month, days) FROM contact_names
    WHERE :'contact' <> '' AND workspace = :'workspace' AND contact = key_of(:'workspace', 'contact', :'contact') AND month = ANY((SELECT every_month FROM own)::date[])) AS kept
  WHERE name <> '' AND last_on >= (SELECT past FROM own) GROUP BY 1
)
SELECT json_build_object('data', (
  SELECT coalesce(json_strip_nulls(json_agg(json_build_object('event_uid', told(name), 'last_on', last_on,
      'contacts', CASE :'account' || :'contact' || :'event_uid' WHEN '' THEN coalesce(contacts, 0) END, 'accounts', CASE :'account' || :'contact' || :'event_uid' WHEN '' THEN coalesce(accounts, 0) END)
    ORDER BY last_on DESC, name)), '[]')
  FROM (SELECT * FROM known ORDER BY last_on DESC, name LIMIT :'limit'::int) AS latest LEFT JOIN did USING (name))
) AS answer;
