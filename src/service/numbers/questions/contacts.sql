-- What did each contact do in a time, and in the time before?
-- One falls where it has lost a quarter of its events, is silent where it has none left, and new where its record began in this time. A search is among all contacts, whenever they were active. A health that nobody has set is told by activity: good of more than 4 active days of the last 14, bad of none, else average.
-- :workspace: whose data
-- :days: such as [2026-11-01,2026-11-30], or empty
-- :hours = 'empty': of the clock, of the last nine days, such as [2026-11-29 13:00,2026-11-30 13:00)
-- :days_before: what they stand against
-- :hours_before = 'empty': and of these
-- :show = 'all': all that were active, new, falling or silent; with a search, all that match
-- :search = '': in the name, the e-mail address or the uid
-- :health = '': of this health alone
-- :sort = 'events': name, events, change, last_seen_on or health
-- :order = 'desc': asc or desc
-- :offset = '0': contacts before the page
-- :limit = '50': contacts of the page
WITH parts AS MATERIALIZED (
  SELECT is_now, span * daterange((SELECT past FROM counted WHERE workspace = :'workspace'), NULL) AS kept, clock,
         extract(epoch FROM coalesce(lower(span), lower(clock)) AT TIME ZONE coalesce((SELECT zone FROM workspaces WHERE name = :'workspace'), 'UTC')) AS began
  FROM (VALUES (TRUE, :'days'::daterange, :'hours'::tsrange), (FALSE, :'days_before'::daterange, :'hours_before'::tsrange)) AS parts (is_now, span, clock)
), months AS MATERIALIZED (
  SELECT is_now, month::date AS month, low, high, (repeat('0', low) || repeat('1', high - low) || repeat('0', 31 - high))::bit(31) AS mask
  FROM parts CROSS JOIN LATERAL generate_series(date_trunc('month', lower(kept)::timestamp), upper(kept) - 1, '1 month') AS month
    CROSS JOIN LATERAL (SELECT greatest(lower(kept) - month::date, 0) AS low, least(upper(kept) - month::date, 31) AS high) AS bounds
  LIMIT 50
), did AS MATERIALIZED (
  SELECT contact, is_now, (SELECT sum(n) FROM unnest(events[low + 1 : high]) AS n) AS events, month + length(rtrim((days & mask)::text, '0')) - 1 AS day
  FROM months CROSS JOIN LATERAL (SELECT contact, days, events FROM active WHERE workspace = :'workspace' AND active.month = months.month) AS own
  WHERE days & mask <> repeat('0', 31)::bit(31)
  UNION ALL
  SELECT contact, is_now, events, at::date FROM (
    SELECT contact, is_now, clock, day + (generate_subscripts(events, 1) - 1) * interval '1 hour' AS at, unnest(events) AS events
    FROM parts JOIN hours ON day >= lower(clock)::date AND day <= upper(clock)::date WHERE workspace = :'workspace') AS by_hour
  WHERE events > 0 AND at <@ clock
), found AS MATERIALIZED (
  SELECT id FROM contacts
  WHERE :'search' <> '' AND workspace = :'workspace' AND (
    strpos(lower(unique_id COLLATE "und-x-icu"), lower(:'search' COLLATE "und-x-icu")) > 0
    OR strpos(lower(data COLLATE "und-x-icu"), lower(:'search' COLLATE "und-x-icu")) > 0
      AND (strpos(lower(name_in(data) COLLATE "und-x-icu"), lower(:'search' COLLATE "und-x-icu")) > 0
           OR strpos(lower(substring(data FROM '"email" *: *"([^"]*)"') COLLATE "und-x-icu"), lower(:'search' COLLATE "und-x-icu")) > 0))
), fortnight AS MATERIALIZED (
  SELECT month::date AS month, (repeat('0', low) || repeat('1', high - low) || repeat('0', 31 - high))::bit(31) AS mask
  FROM (SELECT (now() AT TIME ZONE coalesce((SELECT zone FROM workspaces WHERE name = :'workspace'), 'UTC'))::date AS today) AS days
    CROSS JOIN LATERAL generate_series(date_trunc('month', (today - 13)::timestamp), today::timestamp, '1 month') AS month
    CROSS JOIN LATERAL (SELECT greatest(today - 13 - month::date, 0) AS low, least(today + 1 - month::date, 31) AS high) AS bounds
  LIMIT 2
), lately AS MATERIALIZED (
  SELECT id, sum(bit_count(days)) AS active_days FROM (
    SELECT id, fortnight.month, bit_or(days & mask) AS days FROM fortnight CROSS JOIN LATERAL (
      SELECT contact AS id, days FROM active WHERE workspace = :'workspace' AND active.month = fortnight.month) AS own GROUP BY 1, 2) AS monthly
  GROUP BY 1
), listed AS MATERIALIZED (
  SELECT added.*, events - before AS change, coalesce(created_at >= (SELECT began FROM parts WHERE is_now), FALSE) AS is_new,
         coalesce(health::text, trim(BOTH '"' FROM health_value), CASE WHEN active_days > 4 THEN 'good' WHEN active_days > 0 THEN 'average' ELSE 'bad' END) AS health,
         health IS NULL AND health_value IS NULL AS is_by_activity,
         CASE WHEN :'sort' = 'name' THEN lower(coalesce(name_in(data), unique_id) COLLATE "und-x-icu") END AS letters
  -- Added up, not joined: how many rows there are, the planner does not know, and would compare each with each.
  FROM (SELECT id, coalesce(sum(events) FILTER (WHERE is_now), 0) AS events, coalesce(sum(events) FILTER (WHERE NOT is_now), 0) AS before,
               max(day) AS last_seen_on, max(active_days) AS active_days, bool_or(is_found) AS is_found
        FROM (SELECT contact AS id, is_now, events, day, NULL::numeric AS active_days, FALSE AS is_found FROM did
              UNION ALL SELECT id, NULL, NULL, NULL, active_days, FALSE FROM lately
              UNION ALL SELECT id, NULL, NULL, NULL, NULL, TRUE FROM found) AS each GROUP BY 1 HAVING max(day) IS NOT NULL OR bool_or(is_found)) AS added
    LEFT JOIN contacts USING (id)
), shown AS MATERIALIZED (
  SELECT * FROM listed
  WHERE CASE WHEN :'search' <> '' THEN is_found WHEN :'show' = 'new' THEN events > 0 AND is_new
             WHEN :'show' = 'falling' THEN events > 0 AND events <= before * 0.75 WHEN :'show' = 'silent' THEN events = 0 ELSE events > 0 END
    AND (:'health' = '' OR health = :'health')
), sorted AS MATERIALIZED (
  SELECT *, row_number() OVER (ORDER BY
    CASE WHEN :'order' = 'asc' THEN letters END, letters DESC,
    CASE :'order' WHEN 'asc' THEN 1 ELSE -1 END * CASE :'sort' WHEN 'events' THEN events WHEN 'change' THEN change
      WHEN 'last_seen_on' THEN last_seen_on - '2000-01-01'::date
      WHEN 'health' THEN CASE WHEN health ~ '^-?[0-9]+([.][0-9]+)?$' THEN health::numeric ELSE array_position('{bad,average,good}'::text[], health) END END NULLS LAST, id) AS place
  FROM shown
), page AS MATERIALIZED (
  SELECT * FROM sorted WHERE place > :'offset'::int AND place <= :'offset'::int + :'limit'::int
), earlier AS (
  SELECT contact AS id, max(month + length(rtrim(days::text, '0')) - 1) AS day FROM active
  WHERE workspace = :'workspace' AND contact IN (SELECT id FROM page WHERE last_seen_on IS NULL) GROUP BY 1
), companies AS (
  SELECT contact_id AS id, json_agg(json_build_object('id', accounts.id, 'unique_id', told(unique_id), 'name', coalesce(to_json(name_in(data)), told(unique_id)))
    ORDER BY coalesce(name_in(data), unique_id), accounts.id) AS accounts
  FROM account_contacts JOIN accounts ON accounts.id = account_id WHERE contact_id IN (SELECT id FROM page) GROUP BY 1
)
SELECT json_build_object(
  'active', (SELECT count(*) FROM listed WHERE events > 0),
  'new', (SELECT count(*) FROM listed WHERE events > 0 AND is_new),
  'falling', (SELECT count(*) FROM listed WHERE events > 0 AND events <= before * 0.75),
  'silent', (SELECT count(*) FROM listed WHERE events = 0 AND last_seen_on IS NOT NULL),
  'total', (SELECT count(*) FROM shown),
  'data', (SELECT coalesce(json_agg(json_build_object(
      'id', id, 'unique_id', coalesce(told(unique_id), to_json(id)), 'name', coalesce(to_json(name_in(data)), told(unique_id), to_json(id)),
      'email', substring(data FROM '"email" *: *"([^"\\]*)"'), 'accounts', coalesce(accounts, '[]'),
      'events', events, 'before', before, 'change', change, 'last_seen_on', coalesce(last_seen_on, day),
      'health', page.health, 'health_source', CASE WHEN is_by_activity THEN 'activity: ' || page.health END) ORDER BY place), '[]')
    FROM page LEFT JOIN contacts USING (id) LEFT JOIN earlier USING (id) LEFT JOIN companies USING (id))
) AS answer;
