-- Which people are active, and who does not use a feature?
-- The list of the page People. Falling, or rising: at least 25 % and two events fewer, or more, than in the time before; who is new does not rise; nobody rises if there were no events at all in the time before. Silent: seen in the last 90 days, and not in the last 14, whatever the time is. New: the record began in this time, or later with events of this time, and nothing was done before. A search, or a health, looks at all contacts, whenever they were active. A health that nobody has set is told by activity: good with more than 4 active days of the last 14, bad with none, else average.
-- group: People and accounts
-- page: /contacts
-- heads: total = listed, call = to call, sort = sorted by, asc = lowest first, desc = highest first
-- hidden: offset, change, health_source
-- :show = 'all': all, new, rising, falling, silent or call; call are those that fall or are silent; all are those that were active, with a search those that match, and those of a health
-- :search = '': words in the name, the e-mail address or the uid, in any order, whatever the case and the accents
-- :without = '': name of an event: those that did not do it
-- :health = '': those with this health
-- :sort = 'events': name, events, change, last_seen_on or health
-- :order = 'desc': asc or desc
-- :offset = '0': contacts before the page
-- :limit = '50': rows
WITH parts AS MATERIALIZED (
  SELECT * FROM times_of(:'days', :'hours', :'days_before', :'hours_before', (SELECT past FROM counted WHERE workspace = :'workspace'))
), own AS MATERIALIZED (
  SELECT (SELECT past FROM counted WHERE workspace = :'workspace') AS past, fortnight((SELECT zone FROM workspaces WHERE name = :'workspace')) AS lately
), months AS MATERIALIZED (
  -- The last ninety days, and those since the time.
  SELECT months.* FROM own CROSS JOIN LATERAL months_asked(:'days', :'days_before', past, lately, greatest(lower(lately) - 76, past)) AS months
), former AS MATERIALIZED (
  -- Those before, for who is found and was not seen since.
  SELECT month, mask FROM (SELECT (min(month) + interval '1 month')::date AS ends FROM months) AS until
    CROSS JOIN LATERAL months_of(daterange(least(greatest((SELECT past FROM own), (SELECT min(month) FROM active WHERE workspace = :'workspace')), ends), ends)) AS each
), by_hour AS MATERIALIZED (
  SELECT contact, day, events_in(events, low, high) AS events, events_in(events, low_before, high_before) AS before
  FROM hours_asked(:'hours', :'hours_before') AS asked JOIN hours USING (day) WHERE workspace = :'workspace'
), left_outs AS MATERIALIZED (
  SELECT id, TRUE AS is_itself FROM left_out WHERE workspace = :'workspace' AND kind = 'contact' AND NOT back
  -- Who belongs to accounts that are left out, and to no other.
  UNION ALL SELECT own.contact_id, FALSE FROM left_out JOIN account_contacts AS own ON account_id = id JOIN account_contacts AS every USING (contact_id)
  WHERE workspace = :'workspace' AND kind = 'account' AND NOT back
  GROUP BY 1 HAVING bool_and(every.account_id IN (SELECT id FROM left_out WHERE kind = 'account' AND NOT back))
), time AS MATERIALIZED (
  SELECT coalesce(lower(span), lower(clock)::date) AS first, extract(epoch FROM coalesce(lower(span), lower(clock)) AT TIME ZONE zone)::bigint AS began, extract(epoch FROM coalesce(upper(span), upper(clock)) AT TIME ZONE zone)::bigint AS ends,
         ARRAY(SELECT '%' || regexp_replace(word, '([\\%_])', '\\\1', 'g') || '%' FROM unnest(string_to_array(folded(:'search'), ' ')) AS word) AS sought
  FROM parts CROSS JOIN (SELECT coalesce((SELECT zone FROM workspaces WHERE name = :'workspace'), 'UTC') AS zone) AS zones WHERE is_now
), found AS MATERIALIZED (
  SELECT * FROM (
    SELECT id, CASE WHEN created_at >= began AND id NOT IN (SELECT id FROM left_outs) THEN created_at < ends END AS began_within,
      CASE :'search' WHEN '' THEN :'health' <> '' AND id NOT IN (SELECT id FROM left_outs) ELSE concat_ws(' ', uid_folded, data_folded) LIKE ALL (sought)
        AND concat_ws(' ', uid_folded, name_in(data_folded), substring(data_folded FROM '"email" *: *"([^"]*)"')) LIKE ALL (sought) END AS is_found
    FROM contacts CROSS JOIN time LEFT JOIN LATERAL (SELECT folded(unique_id) AS uid_folded, folded(data) AS data_folded WHERE :'search' <> '' OFFSET 0) AS looked_at ON TRUE
    WHERE workspace = :'workspace') AS each
  WHERE began_within IS NOT NULL OR is_found
), compared AS MATERIALIZED (
  SELECT EXISTS (SELECT FROM months JOIN active USING (month) WHERE workspace = :'workspace' AND days & mask_before <> 0::bit(31))
    OR EXISTS (SELECT FROM by_hour WHERE before > 0) AS has_before
), listed AS MATERIALIZED (
  SELECT added.*, is_new, is_silent, coalesce(lately_seen_on, CASE WHEN is_found THEN (
           SELECT max(last_day(month, days & mask)) FROM former JOIN active USING (month) WHERE workspace = :'workspace' AND contact = added.id) END) AS last_seen_on,
         events - before AS change, CASE WHEN NOT is_new AND (SELECT has_before FROM compared) THEN trend_of(events, before) END AS trend,
         coalesce(trim(BOTH '"' FROM health), health_by(active_days)) AS health,
         health IS NULL AS is_by_activity,
         CASE WHEN :'sort' = 'name' THEN lower(coalesce(name_in(data), unique_id) COLLATE "und-x-icu") END AS letters
  FROM (SELECT id, coalesce(sum(events), 0) AS events, coalesce(sum(before), 0) AS before, max(last_seen_on) AS lately_seen_on,
               bit_count(bit_or(lately)) AS active_days, bool_or(began_within) AS began_within, coalesce(bool_or(is_found), FALSE) AS is_found
        FROM (
          SELECT contact AS id, events_in(events, low, high) AS events, events_in(events, low_before, high_before) AS before,
                 last_day(month, days & seen) AS last_seen_on, days & lately << shift AS lately, NULL::boolean AS began_within, NULL::boolean AS is_found
          FROM months JOIN active USING (month) WHERE workspace = :'workspace' AND active.month BETWEEN (SELECT min(month) FROM months) AND (SELECT max(month) FROM months)
          UNION ALL SELECT contact, events, before, CASE WHEN events + before > 0 THEN day END, NULL, NULL, NULL FROM by_hour
          UNION ALL SELECT id, NULL, NULL, NULL, NULL, began_within, is_found FROM found) AS each
        GROUP BY 1) AS added
    CROSS JOIN own CROSS JOIN LATERAL (SELECT coalesce(lately_seen_on < lower(lately) AND lately_seen_on >= lower(lately) - 76, FALSE) AS is_silent) AS quiet
    CROSS JOIN LATERAL (SELECT began_within IS NOT NULL AND (began_within OR events > 0) AND NOT EXISTS (
      SELECT FROM time CROSS JOIN months JOIN active USING (month)
      WHERE workspace = :'workspace' AND contact = added.id AND days <> 0::bit(31) AND month + strpos(days::text, '1') - 1 < first) AS is_new) AS fresh
    LEFT JOIN contacts USING (id) WHERE events > 0 OR before > 0 OR is_new OR is_found OR is_silent
), doers AS MATERIALIZED (
  SELECT contact FROM months JOIN contact_names USING (month)
  WHERE :'without' <> '' AND workspace = :'workspace' AND name = left(:'without', 256)
    AND contact_names.month BETWEEN (SELECT min(month) FROM months WHERE high > 0) AND (SELECT max(month) FROM months WHERE high > 0) AND days & mask <> 0::bit(31)
  UNION
  SELECT contact_id FROM parts CROSS JOIN counted_events
  WHERE :'without' <> '' AND is_now AND workspace = :'workspace' AND event_uid = :'without' AND left(event_uid, 64) = left(:'without', 64)
    AND id >= id_at((SELECT extract(epoch FROM min(lower(clock)) - interval '1 day') * 1000 FROM parts WHERE is_now)::bigint)
    AND day + hour * interval '1 hour' <@ clock
), shown AS NOT MATERIALIZED (
  SELECT * FROM listed
  WHERE CASE WHEN :'search' <> '' THEN is_found WHEN :'show' = 'new' THEN is_new WHEN :'show' IN ('rising', 'falling') THEN trend = :'show'
             WHEN :'show' = 'silent' THEN is_silent WHEN :'show' = 'call' THEN is_silent OR trend = 'falling' ELSE events > 0 OR is_found END
    AND (:'health' = '' OR health = :'health') AND (:'without' = '' OR (id IN (SELECT contact FROM doers)) IS NOT TRUE)
), page AS MATERIALIZED (
  SELECT *, row_number() OVER () AS place FROM (SELECT * FROM shown ORDER BY
    CASE WHEN :'order' = 'asc' THEN letters END, letters DESC,
    CASE :'order' WHEN 'asc' THEN 1 ELSE -1 END * CASE :'sort' WHEN 'events' THEN events WHEN 'change' THEN change
      WHEN 'last_seen_on' THEN last_seen_on - '2000-01-01'::date
      WHEN 'health' THEN CASE WHEN health ~ '^-?[0-9]+([.][0-9]+)?$' THEN health::float8 ELSE array_position('{bad,average,good}'::text[], health) END END NULLS LAST, last_seen_on DESC NULLS LAST, id
    LIMIT :'limit'::int OFFSET :'offset'::int) AS page
), companies AS (
  SELECT contact_id AS id, json_agg(json_build_object('id', accounts.id, 'unique_id', told(unique_id), 'name', coalesce(to_json(name_in(data)), told(unique_id)))
    ORDER BY coalesce(name_in(data), unique_id), accounts.id) AS accounts
  FROM account_contacts JOIN accounts ON accounts.id = account_id WHERE contact_id IN (SELECT id FROM page) GROUP BY 1
)
SELECT json_build_object(
  'active', active, 'new', new, 'rising', rising, 'falling', falling, 'silent', silent, 'call', call,
  'total', (SELECT count(*) FROM shown),
  'data', (SELECT coalesce(json_agg(json_build_object(
      'id', id, 'unique_id', coalesce(told(unique_id), to_json(id)), 'name', coalesce(to_json(name_in(data)), told(unique_id), to_json(id)),
      'email', substring(data FROM '"email" *: *"([^"\\]*)"'), 'accounts', coalesce(accounts, '[]'),
      'events', events, 'before', before, 'change', change, 'trend', trend, 'silent', is_silent, 'new', is_new, 'last_seen_on', last_seen_on, 'left_out', id IN (SELECT id FROM left_outs WHERE is_itself OR last_seen_on IS NULL),
      'health', page.health, 'health_source', CASE WHEN is_by_activity THEN 'activity: ' || page.health END) ORDER BY place), '[]')
    FROM page LEFT JOIN contacts USING (id) LEFT JOIN companies USING (id))
) AS answer
FROM (SELECT count(*) FILTER (WHERE events > 0) AS active, count(*) FILTER (WHERE is_new) AS new,
             count(*) FILTER (WHERE trend = 'rising') AS rising, count(*) FILTER (WHERE trend = 'falling') AS falling,
             count(*) FILTER (WHERE is_silent) AS silent, count(*) FILTER (WHERE is_silent OR trend = 'falling') AS call FROM listed) AS counts;
