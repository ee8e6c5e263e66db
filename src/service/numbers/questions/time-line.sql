-- What did a contact, or an account, do last?
-- The newest come first, by when they arrived. Of an account with a filter, the latest 20,000 events are looked at. What a contact did, or an account that is left out, is here, whether it counts or not.
-- group: People and accounts
-- heads: params = what the page gave
-- hidden: before, account_uid, occurred_at, stamp, source, number
-- :contact = one: uid of the contact
-- :account = one: uid of the account
-- :event_uid = '': name of one event
-- :host = '': page views of one host, such as shop.example
-- :path = '': page views of one path, such as /prices
-- :referrer = '': page views that came from one host
-- :before = '281474976710654_ffffffff-ffff-ffff-ffff-ffffffffffff': `next` of the page before
-- :limit = '50': rows
WITH own AS MATERIALIZED (
  SELECT zone, at, id, least(id, id_at(at + 1)) AS below, (to_timestamp(at / 1000.0) AT TIME ZONE zone)::date AS last,
         coalesce((SELECT counted.id FROM counted WHERE workspace = :'workspace'), id_at(0)) AS behind,
         CASE WHEN :'event_uid' || :'host' || :'path' || :'referrer' = '' THEN :'limit'::int + 1 ELSE 20000 END AS most,
         EXISTS (SELECT FROM left_out WHERE left_out.id = key_of(:'workspace', 'account', :'account') AND NOT back) AS is_out
  FROM (SELECT coalesce((SELECT zone FROM workspaces WHERE name = :'workspace'), 'UTC') AS zone,
               split_part(:'before', '_', 1)::bigint AS at, split_part(:'before', '_', 2)::uuid AS id) AS place
), since AS MATERIALIZED (
  SELECT coalesce(max(day), '1970-01-01') AS day FROM (
    SELECT month + at - 1 AS day, sum(each.events) OVER (ORDER BY month + at DESC) AS up_to FROM account_days CROSS JOIN LATERAL each_of(account_days.events) AS each
    WHERE workspace = :'workspace' AND :'account' <> '' AND account = key_of(:'workspace', 'account', :'account')
      AND month + at - 1 <= (SELECT last FROM own) AND month <= (SELECT last FROM own)
      AND month > coalesce((SELECT past FROM counted WHERE workspace = :'workspace'), '-infinity') - 31) AS daily
  WHERE up_to >= (SELECT most FROM own)
), whose AS MATERIALIZED (
  SELECT key_of(:'workspace', 'contact', :'contact') AS contact, '1970-01-01'::date AS day WHERE :'contact' <> ''
  UNION ALL
  SELECT contact, min(day) FROM (
    SELECT contact, day FROM active CROSS JOIN since
    WHERE workspace = :'workspace' AND :'account' <> '' AND account = key_of(:'workspace', 'account', :'account')
      AND month <= (SELECT last FROM own) AND month > (SELECT day - 31 FROM since) AND last_day(month, days) >= day
    -- Of an account that is left out nobody is counted: whoever may have done something in it.
    UNION ALL SELECT contact_id, '1970-01-01' FROM account_contacts WHERE (SELECT is_out FROM own) AND account_id = key_of(:'workspace', 'account', :'account')
    UNION ALL SELECT contact_id, '1970-01-01' FROM events WHERE (SELECT is_out FROM own) AND workspace = :'workspace' AND unlisted AND left(account_uid, 64) = left(:'account', 64)) AS members
  GROUP BY 1
), found AS MATERIALIZED (
  SELECT events.* FROM whose CROSS JOIN own CROSS JOIN LATERAL (
    (SELECT events.*, ('x' || replace(left(events.id::text, 13), '-', ''))::bit(48)::bigint AS at FROM events
     WHERE contact_id = contact AND origin_id IS NULL AND events.id < below AND events.id >= id_at((extract(epoch FROM day::timestamp AT TIME ZONE zone) * 1000)::bigint)
       AND (:'account' = '' OR account_uid = :'account' AND events.id < behind) AND (:'event_uid' = '' OR event_uid = :'event_uid')
       AND (:'host' = '' OR split_part(page, '/', 1) = :'host') AND (:'path' = '' OR left(substr(page, strpos(page, '/')), 256) = :'path')
       AND (:'referrer' = '' OR referrer_host = :'referrer') ORDER BY events.id DESC LIMIT :'limit'::int + 1)
    UNION ALL
    (SELECT events.*, received_at FROM events
     WHERE contact_id = contact AND origin_id IS NOT NULL AND (received_at, events.id) < (own.at, own.id)
       AND (:'account' = '' OR account_uid = :'account' AND events.id < behind) AND (:'event_uid' = '' OR event_uid = :'event_uid')
       AND (:'host' = '' OR split_part(page, '/', 1) = :'host') AND (:'path' = '' OR left(substr(page, strpos(page, '/')), 256) = :'path')
       AND (:'referrer' = '' OR referrer_host = :'referrer') ORDER BY received_at DESC, events.id DESC LIMIT :'limit'::int + 1)) AS events
  UNION ALL
  (SELECT events.*, ('x' || replace(left(events.id::text, 13), '-', ''))::bit(48)::bigint FROM events
   WHERE workspace = :'workspace' AND events.id >= (SELECT behind FROM own) AND events.id < (SELECT below FROM own) AND :'account' <> '' AND account_uid = :'account' AND (:'event_uid' = '' OR event_uid = :'event_uid')
     AND (:'host' = '' OR split_part(page, '/', 1) = :'host') AND (:'path' = '' OR left(substr(page, strpos(page, '/')), 256) = :'path')
     AND (:'referrer' = '' OR referrer_host = :'referrer') AND ((SELECT is_out FROM own) OR contact_id NOT IN (SELECT id FROM left_out WHERE kind = 'contact' AND NOT back))
   ORDER BY events.id DESC LIMIT :'limit'::int + 1)
), page AS MATERIALIZED (
  SELECT *, key_of(:'workspace', 'account', account_uid) AS account, row_number() OVER (ORDER BY at DESC, id DESC) AS place FROM found ORDER BY at DESC, id DESC LIMIT :'limit'::int + 1
), companies AS MATERIALIZED (
  SELECT id AS account, name_in(data) AS company FROM accounts WHERE id IN (SELECT account FROM page WHERE account_uid <> '')
)
SELECT json_build_object(
  'data', (SELECT coalesce(json_agg(json_build_object('id', page.id,
      'happened_at', CASE WHEN occurred_at BETWEEN received_at - 2592000000 AND received_at THEN occurred_at ELSE received_at END,
      'event_uid', told(event_uid), 'contact', json_build_object('id', contact_id, 'unique_id', told(contact_uid), 'name', coalesce(to_json(name_in(data)), told(contact_uid))),
      'account', CASE WHEN account_uid <> '' THEN json_build_object('id', account, 'unique_id', told(account_uid), 'name', coalesce(to_json(company), told(account_uid))) END,
      'account_uid', told(nullif(account_uid, '')), 'params', left(params, 4000), 'received_at', received_at, 'occurred_at', occurred_at,
      'stamp', stamp, 'source', source, 'number', number) ORDER BY place), '[]')
    FROM page LEFT JOIN contacts ON contacts.id = contact_id LEFT JOIN companies USING (account) WHERE place <= :'limit'::int),
  'next', (SELECT at || '_' || id FROM page WHERE place = :'limit'::int AND (SELECT count(*) FROM page) > :'limit'::int)
) AS answer;
