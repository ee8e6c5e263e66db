-- Which accounts are active, and which do not use a feature?
-- The list of the page Accounts, and the accounts that lost, and that gained, most events. Falling, or rising: at least 25 % and two events fewer, or more, than in the time before; who is new does not rise; nobody rises if there were no events at all in the time before. Silent: seen in the last 90 days, and not in the last 14, whatever the time is. New: the record began in this time, or later with events of this time, and nothing was done before. A search, or a health, looks at all accounts, whenever they were active. A health that nobody has set is told by activity: good with more than 4 active days of the last 14, bad with none, else average. Accounts that are known from events alone (no data, stage or health) are not in this list where they are more than ten for each other account: `others` says how many they are.
-- group: People and accounts
-- page: /accounts
-- heads: total = listed, call = to call, fell = lost most, rose = gained most, sort = sorted by, asc = lowest first, desc = highest first
-- hidden: offset, members, others, change, counts_before, health_source
-- :show = 'all': all, new, rising, falling, silent or call; call are those that fall or are silent; all are those that were active, with a search those that match, and those of a health
-- :search = '': words in the name or the uid, in any order, whatever the case and the accents
-- :without = '': name of an event: those that did not do it
-- :others = 'false': true or false; true shows those that stand apart
-- :health = '': those with this health
-- :sort = 'events': name, contacts, active_contacts, events, change, last_seen_on or health
-- :order = 'desc': asc or desc
-- :offset = '0': accounts before the page
-- :limit = '50': rows
-- :members = 'true': true or false; false tells of no members, and of no steps
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
  SELECT account, contact, day, events_in(events, low, high) AS events, events_in(events, low_before, high_before) AS before
  FROM hours_asked(:'hours', :'hours_before') AS asked JOIN hours USING (day) WHERE workspace = :'workspace' AND account <> '00000000-0000-0000-0000-000000000000'
), left_outs AS MATERIALIZED (
  SELECT id FROM left_out WHERE workspace = :'workspace' AND kind = 'account' AND NOT back
), time AS MATERIALIZED (
  SELECT coalesce(lower(span), lower(clock)::date) AS first, extract(epoch FROM coalesce(lower(span), lower(clock)) AT TIME ZONE zone)::bigint AS began, extract(epoch FROM coalesce(upper(span), upper(clock)) AT TIME ZONE zone)::bigint AS ends,
         ARRAY(SELECT '%' || regexp_replace(word, '([\\%_])', '\\\1', 'g') || '%' FROM unnest(string_to_array(folded(:'search'), ' ')) AS word) AS sought
  FROM parts CROSS JOIN (SELECT coalesce((SELECT zone FROM workspaces WHERE name = :'workspace'), 'UTC') AS zone) AS zones WHERE is_now
), found AS MATERIALIZED (
  SELECT * FROM (
    SELECT id, CASE WHEN created_at >= began AND id NOT IN (SELECT id FROM left_outs) THEN created_at < ends END AS began_within,
      CASE :'search' WHEN '' THEN :'health' <> '' AND id NOT IN (SELECT id FROM left_outs) ELSE concat_ws(' ', uid_folded, data_folded) LIKE ALL (sought)
        AND concat_ws(' ', uid_folded, name_in(data_folded)) LIKE ALL (sought) END AS is_found
    FROM accounts CROSS JOIN time LEFT JOIN LATERAL (SELECT folded(unique_id) AS uid_folded, folded(data) AS data_folded WHERE :'search' <> '' OFFSET 0) AS looked_at ON TRUE
    WHERE workspace = :'workspace') AS each
  WHERE began_within IS NOT NULL OR is_found
), compared AS MATERIALIZED (
  SELECT EXISTS (SELECT FROM months JOIN active USING (month)
                 WHERE workspace = :'workspace' AND account <> '00000000-0000-0000-0000-000000000000' AND days & mask_before <> 0::bit(31))
    OR EXISTS (SELECT FROM by_hour WHERE before > 0) AS has_before
), listed AS MATERIALIZED (
  SELECT added.*, is_new, is_silent, coalesce(lately_seen_on, CASE WHEN is_found THEN (
           SELECT max(last_day(month, days & mask)) FROM former JOIN active USING (month) WHERE workspace = :'workspace' AND account = added.id) END) AS last_seen_on,
         unique_id, coalesce(name_in(data), unique_id, id::text) AS name, events - before AS change,
         CASE WHEN NOT is_new AND (SELECT has_before FROM compared) THEN trend_of(events, before) END AS trend,
         coalesce(data <> '{}' OR stage IS NOT NULL OR health IS NOT NULL, FALSE) AS is_known,
         coalesce(trim(BOTH '"' FROM health), health_by(active_days)) AS health,
         health IS NULL AS is_by_activity
  FROM (SELECT id, coalesce(sum(events), 0) AS events, coalesce(sum(before), 0) AS before, max(last_seen_on) AS lately_seen_on,
               bit_count(bit_or(lately)) AS active_days, bool_or(began_within) AS began_within, coalesce(bool_or(is_found), FALSE) AS is_found
        FROM (
          SELECT account AS id, events_in(events, low, high) AS events, events_in(events, low_before, high_before) AS before,
                 last_day(month, days & seen) AS last_seen_on, days & lately << shift AS lately, NULL::boolean AS began_within, NULL::boolean AS is_found
          FROM months JOIN active USING (month)
          WHERE workspace = :'workspace' AND account <> '00000000-0000-0000-0000-000000000000' AND active.month BETWEEN (SELECT min(month) FROM months) AND (SELECT max(month) FROM months)
          UNION ALL SELECT account, events, before, CASE WHEN events + before > 0 THEN day END, NULL, NULL, NULL FROM by_hour
          UNION ALL SELECT id, NULL, NULL, NULL, NULL, began_within, is_found FROM found) AS each
        GROUP BY 1) AS added
    CROSS JOIN own CROSS JOIN LATERAL (SELECT coalesce(lately_seen_on < lower(lately) AND lately_seen_on >= lower(lately) - 76, FALSE) AS is_silent) AS quiet
    CROSS JOIN LATERAL (SELECT began_within IS NOT NULL AND (began_within OR events > 0) AND NOT EXISTS (
      SELECT FROM time CROSS JOIN months JOIN active USING (month)
      WHERE workspace = :'workspace' AND account = added.id AND days <> 0::bit(31) AND month + strpos(days::text, '1') - 1 < first) AS is_new) AS fresh
    LEFT JOIN accounts USING (id) WHERE events > 0 OR before > 0 OR is_new OR is_found OR is_silent
), doers AS MATERIALIZED (
  SELECT account FROM months JOIN account_names USING (month)
  WHERE :'without' <> '' AND workspace = :'workspace' AND name = left(:'without', 256)
    AND account_names.month BETWEEN (SELECT min(month) FROM months WHERE high > 0) AND (SELECT max(month) FROM months WHERE high > 0) AND days & mask <> 0::bit(31)
  UNION
  SELECT account FROM parts CROSS JOIN counted_events
  WHERE :'without' <> '' AND is_now AND workspace = :'workspace' AND event_uid = :'without' AND left(event_uid, 64) = left(:'without', 64)
    AND id >= id_at((SELECT extract(epoch FROM min(lower(clock)) - interval '1 day') * 1000 FROM parts WHERE is_now)::bigint)
    AND day + hour * interval '1 hour' <@ clock
), fitting AS MATERIALIZED (
  SELECT * FROM listed
  WHERE CASE WHEN :'search' <> '' THEN is_found WHEN :'show' = 'new' THEN is_new WHEN :'show' IN ('rising', 'falling') THEN trend = :'show'
             WHEN :'show' = 'silent' THEN is_silent WHEN :'show' = 'call' THEN is_silent OR trend = 'falling' ELSE events > 0 OR is_found END
    AND (:'health' = '' OR health = :'health') AND (:'without' = '' OR (id IN (SELECT account FROM doers)) IS NOT TRUE)
), sums AS MATERIALIZED (
  SELECT count(*) FILTER (WHERE is_known) AS known, count(*) FILTER (WHERE NOT is_known) AS others FROM listed
), shown AS MATERIALIZED (
  SELECT fitting.* FROM fitting CROSS JOIN sums
  WHERE CASE WHEN :'search' <> '' THEN TRUE WHEN :'others' = 'true' THEN NOT is_known
             ELSE is_known OR known = 0 OR others <= 10 * known END
), placed AS MATERIALIZED (
  SELECT *, row_number() OVER (ORDER BY
      CASE WHEN :'sort' = 'name' AND :'order' = 'asc' THEN lower(name COLLATE "und-x-icu") END,
      CASE WHEN :'sort' = 'name' THEN lower(name COLLATE "und-x-icu") END DESC,
      CASE :'order' WHEN 'asc' THEN 1 ELSE -1 END
        * CASE :'sort' WHEN 'events' THEN events WHEN 'change' THEN change WHEN 'last_seen_on' THEN last_seen_on - '2000-01-01'::date
          WHEN 'health' THEN CASE WHEN health ~ '^-?[0-9]+([.][0-9]+)?$' THEN health::float8 ELSE array_position('{bad,average,good}'::text[], health) END END NULLS LAST, last_seen_on DESC NULLS LAST, id) AS place
  FROM shown
), needed AS MATERIALIZED (
  SELECT * FROM placed WHERE :'sort' IN ('contacts', 'active_contacts') OR place > :'offset'::int AND place <= :'offset'::int + :'limit'::int
), members AS (
  SELECT account_id AS id, count(*) AS contacts, NULL::bigint AS active_contacts FROM account_contacts
  WHERE :'members' = 'true' AND account_id = ANY(ARRAY(SELECT id FROM needed)) GROUP BY 1
  UNION ALL
  SELECT account, NULL, count(DISTINCT contact) FROM (
    SELECT account, contact FROM months JOIN active USING (month)
    WHERE :'members' = 'true' AND workspace = :'workspace' AND active.month BETWEEN (SELECT min(month) FROM months WHERE high > 0) AND (SELECT max(month) FROM months WHERE high > 0)
      AND account = ANY(ARRAY(SELECT id FROM needed)) AND days & mask <> 0::bit(31)
    UNION ALL
    SELECT account, contact FROM by_hour WHERE :'members' = 'true' AND account = ANY(ARRAY(SELECT id FROM needed)) AND events > 0) AS either GROUP BY 1
), with_members AS MATERIALIZED (
  -- Added up, not joined: how many rows there are, the planner does not know, and would compare each with each.
  SELECT id, max(place) AS place, coalesce(max(contacts), 0) AS contacts, coalesce(max(active_contacts), 0) AS active_contacts
  FROM (SELECT id, place, NULL::bigint AS contacts, NULL::bigint AS active_contacts FROM needed UNION ALL SELECT id, NULL, contacts, active_contacts FROM members) AS added
  GROUP BY id
), page_ids AS MATERIALIZED (
  SELECT id, row_number() OVER (ORDER BY CASE :'order' WHEN 'asc' THEN 1 ELSE -1 END
      * CASE :'sort' WHEN 'contacts' THEN contacts WHEN 'active_contacts' THEN active_contacts END, place, id) AS place, contacts, active_contacts
  FROM with_members
  ORDER BY 2 LIMIT :'limit'::int OFFSET CASE WHEN :'sort' IN ('contacts', 'active_contacts') THEN :'offset'::int ELSE 0 END
), page AS MATERIALIZED (
  SELECT shown.*, page_ids.place, contacts, active_contacts FROM page_ids JOIN (
    SELECT * FROM shown WHERE id = ANY(ARRAY(SELECT id FROM page_ids))) AS shown USING (id)
), by_step AS MATERIALIZED (
  SELECT id, is_now, day - lower(span) AS step, events FROM (
    SELECT account AS id, month + at - 1 AS day, each.events FROM account_days CROSS JOIN LATERAL each_of(account_days.events) AS each
    WHERE :'members' = 'true' AND workspace = :'workspace' AND account = ANY(ARRAY(SELECT id FROM page_ids)) AND month = ANY(ARRAY(SELECT month FROM months WHERE high > 0 OR high_before > 0))) AS by_day
    JOIN parts ON day <@ kept
  UNION ALL
  SELECT account, is_now, CASE WHEN isempty(:'days'::daterange) THEN (extract(epoch FROM day + (hour - 1) * interval '1 hour' - lower(clock)) / 3600)::int
    ELSE day - coalesce(lower(span), lower(clock)::date) END, sum(events_in(events, hour - 1, hour))
  FROM parts CROSS JOIN LATERAL days_of(clock) AS own JOIN hours USING (day) CROSS JOIN LATERAL generate_series(low + 1, high) AS hour
  WHERE :'members' = 'true' AND workspace = :'workspace' AND account = ANY(ARRAY(SELECT id FROM page_ids)) AND events_in(events, hour - 1, hour) > 0 GROUP BY 1, 2, 3
), steps AS (
  SELECT id, is_now, json_agg(coalesce(events, 0) ORDER BY step) AS counts
  FROM page_ids CROSS JOIN (VALUES (TRUE), (FALSE)) AS times (is_now)
    CROSS JOIN (SELECT generate_series(0, steps - 1) AS step FROM parts WHERE is_now) AS every LEFT JOIN by_step USING (id, is_now, step)
  GROUP BY 1, 2
), most_changed AS (
  (SELECT * FROM listed WHERE change < 0 ORDER BY change, before DESC, id LIMIT 50)
  UNION ALL (SELECT * FROM listed WHERE change > 0 AND NOT is_new AND (SELECT has_before FROM compared) ORDER BY change DESC, before DESC, id LIMIT 50)
), changed AS MATERIALIZED (
  SELECT change > 0 AS is_more, json_agg(json_build_object(
      'id', id, 'key', coalesce(told(unique_id), to_json(id)), 'name', CASE name WHEN unique_id THEN told(unique_id) ELSE to_json(name) END,
      'events', events, 'before', before) ORDER BY abs(change) DESC, before DESC, id) AS data
  FROM most_changed GROUP BY 1
)
SELECT json_build_object(
  'active', active, 'new', new, 'rising', rising, 'falling', falling, 'silent', silent, 'call', call, 'total', (SELECT count(*) FROM shown), 'events', events, 'before', before,
  'others', (SELECT json_build_object('total', count(*), 'events', coalesce(sum(events), 0)) FROM fitting CROSS JOIN sums
             WHERE NOT is_known AND known > 0 AND others > 10 * known AND :'search' = '' AND :'others' <> 'true' HAVING count(*) > 0),
  'data', (SELECT coalesce(json_agg(json_build_object(
      'id', id, 'unique_id', coalesce(told(unique_id), to_json(id)), 'name', CASE name WHEN unique_id THEN told(unique_id) ELSE to_json(name) END,
      'contacts', contacts, 'active_contacts', active_contacts, 'events', events, 'before', before, 'change', change, 'trend', trend, 'silent', is_silent, 'new', is_new,
      'counts', (SELECT counts FROM steps WHERE steps.id = page.id AND is_now),
      'counts_before', (SELECT counts FROM steps WHERE steps.id = page.id AND NOT is_now),
      'last_seen_on', last_seen_on, 'left_out', id IN (SELECT id FROM left_outs), 'health', health, 'health_source', CASE WHEN is_by_activity THEN 'activity: ' || health END) ORDER BY place), '[]') FROM page),
  'fell', coalesce((SELECT data FROM changed WHERE NOT is_more), '[]'), 'rose', coalesce((SELECT data FROM changed WHERE is_more), '[]')
) AS answer
FROM (SELECT count(*) FILTER (WHERE events > 0) AS active, count(*) FILTER (WHERE trend = 'rising') AS rising, count(*) FILTER (WHERE trend = 'falling') AS falling,
             count(*) FILTER (WHERE is_new) AS new, count(*) FILTER (WHERE is_silent) AS silent, count(*) FILTER (WHERE is_silent OR trend = 'falling') AS call, coalesce(sum(events), 0) AS events, coalesce(sum(before), 0) AS before FROM listed) AS counts;
