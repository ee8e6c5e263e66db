-- Who belongs to an account, and when was each last seen?
-- For a talk with one customer. When its first event came is told by the day. The events of each member are those in this account, of all days that are kept. The days are the last 90, today included. Of who is left out it tells when the last of the latest 1,000 that are stored happened.
-- group: People and accounts
-- heads: members = people, how_many = events
-- :account: uid of the account
WITH own AS MATERIALIZED (
  SELECT key_of(:'workspace', 'account', :'account') AS id, zone, (now() AT TIME ZONE zone)::date AS today,
         coalesce((SELECT past FROM counted WHERE workspace = :'workspace'), '1970-01-01') AS past
  FROM (SELECT coalesce((SELECT zone FROM workspaces WHERE name = :'workspace'), 'UTC') AS zone) AS zones
), seen AS MATERIALIZED (
  SELECT contact, sum(events_in(events, greatest(past - month, 0), 31)) AS events, max(last_day(month, days)) AS last_seen_on,
         greatest(min(month + strpos(days::text, '1') - 1) FILTER (WHERE days <> 0::bit(31)), max(past)) AS first_seen_on
  FROM active CROSS JOIN own WHERE workspace = :'workspace' AND account = id AND month > past - 31
  GROUP BY 1 HAVING max(last_day(month, days)) >= (SELECT past FROM own)
), members AS MATERIALIZED (
  SELECT contact AS id, coalesce(max(events), 0) AS events, max(last_seen_on) AS last_seen_on FROM (
    SELECT contact_id AS contact, NULL::bigint AS events, NULL::date AS last_seen_on, TRUE AS is_member FROM account_contacts
    WHERE account_id = (SELECT id FROM own)
    UNION ALL SELECT contact, events, last_seen_on, FALSE FROM seen) AS added
  GROUP BY 1 HAVING bool_or(is_member)
), left_outs AS MATERIALIZED (
  -- Alone, or with the account: of them nothing is counted, so the latest that are stored say when they were seen.
  SELECT members.id, max(at) AS at FROM own CROSS JOIN members JOIN left_out ON left_out.id IN (own.id, members.id) AND NOT back
    LEFT JOIN LATERAL (
      SELECT CASE WHEN occurred_at BETWEEN received_at - 2592000000 AND received_at THEN occurred_at ELSE received_at END AS at FROM events
      WHERE contact_id = members.id AND account_uid = :'account' ORDER BY events.id DESC LIMIT 1000) AS stored ON TRUE
  GROUP BY 1
), listed AS (
  SELECT members.id, events, coalesce((to_timestamp(at / 1000.0) AT TIME ZONE zone)::date, last_seen_on) AS last_seen_on, left_outs.id IS NOT NULL AS left_out
  FROM own CROSS JOIN members LEFT JOIN left_outs ON left_outs.id = members.id ORDER BY 3 DESC NULLS LAST, 1 LIMIT 200
), latest AS (
  SELECT max(at) AS at FROM seen CROSS JOIN own CROSS JOIN LATERAL (
    SELECT at FROM counted_events
    WHERE contact_id = seen.contact AND account_uid = :'account' AND id >= id_at((extract(epoch FROM last_seen_on::timestamp AT TIME ZONE zone) * 1000)::bigint)) AS events
  WHERE last_seen_on = (SELECT max(last_seen_on) FROM seen)
)
SELECT json_build_object(
  'first_seen_at', (SELECT (extract(epoch FROM min(first_seen_on)::timestamp AT TIME ZONE max(zone)) * 1000)::bigint FROM seen CROSS JOIN own),
  'last_event_at', coalesce((SELECT at FROM latest), (SELECT max(at) FROM left_outs)),
  'members', json_build_object('total', (SELECT count(*) FROM members), 'left_out', (SELECT count(*) FROM left_outs), 'data', (
    SELECT coalesce(json_agg(json_build_object('id', id, 'unique_id', coalesce(told(unique_id), to_json(id)),
        'name', coalesce(to_json(name_in(data)), told(unique_id), to_json(id)), 'events', events, 'last_seen_on', last_seen_on,
        'left_out', left_out)
      ORDER BY last_seen_on DESC NULLS LAST, id), '[]') FROM listed LEFT JOIN contacts USING (id))),
  'days', (SELECT json_agg(coalesce(events, 0) ORDER BY ago DESC) FROM generate_series(0, 89) AS ago
    LEFT JOIN (
      SELECT today - (month + at - 1) AS ago, each.events FROM own CROSS JOIN account_days CROSS JOIN LATERAL each_of(account_days.events) AS each
      WHERE workspace = :'workspace' AND account = (SELECT id FROM own) AND month > (SELECT greatest(past, today - 89) - 31 FROM own) AND month + at > past) AS daily USING (ago))
) AS answer;
