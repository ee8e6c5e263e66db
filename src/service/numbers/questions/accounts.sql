-- What did each account do in a time, and in the time before?
-- One falls where it has lost a quarter of its events, and is silent where it has none left. All accounts are counted, whatever is shown of them. Those of which events alone tell, without data, stage or health, stand apart once they are more than ten times the others. A health that nobody has set is told by activity: good of more than 4 active days of the last 14, bad of none, else average. Those that lost most are told beside the page.
-- :workspace: whose data
-- :days: such as [2026-11-01,2026-11-30], or empty
-- :hours = 'empty': of the clock, of the last nine days, such as [2026-11-29 13:00,2026-11-30 13:00)
-- :days_before: what they stand against
-- :hours_before = 'empty': and of these
-- :show = 'all': all that were active, falling or silent
-- :search = '': in the name or the uid
-- :without = '': without those that did this, by name of event
-- :others = 'false': true shows those that stand apart
-- :health = '': of this health alone
-- :sort = 'events': name, contacts, active_contacts, events, change, last_seen_on or health
-- :order = 'desc': asc or desc
-- :offset = '0': accounts before the page
-- :limit = '50': accounts of the page
-- :members = 'true': false tells of no members
WITH parts AS MATERIALIZED (
  SELECT is_now, span, span * daterange((SELECT past FROM counted WHERE workspace = :'workspace'), NULL) AS kept, clock
  FROM (VALUES (TRUE, :'days'::daterange, :'hours'::tsrange), (FALSE, :'days_before'::daterange, :'hours_before'::tsrange)) AS parts (is_now, span, clock)
), months AS MATERIALIZED (
  SELECT is_now, month::date AS month, (repeat('0', low) || repeat('1', high - low) || repeat('0', 31 - high))::bit(31) AS mask
  FROM parts CROSS JOIN LATERAL generate_series(date_trunc('month', lower(kept)::timestamp), upper(kept) - 1, '1 month') AS month
    CROSS JOIN LATERAL (SELECT greatest(lower(kept) - month::date, 0) AS low, least(upper(kept) - month::date, 31) AS high) AS bounds
  LIMIT 50
), by_month AS MATERIALIZED (
  SELECT account, month, ARRAY[
    sum(events[1]), sum(events[2]), sum(events[3]), sum(events[4]), sum(events[5]), sum(events[6]), sum(events[7]), sum(events[8]),
    sum(events[9]), sum(events[10]), sum(events[11]), sum(events[12]), sum(events[13]), sum(events[14]), sum(events[15]), sum(events[16]),
    sum(events[17]), sum(events[18]), sum(events[19]), sum(events[20]), sum(events[21]), sum(events[22]), sum(events[23]), sum(events[24]),
    sum(events[25]), sum(events[26]), sum(events[27]), sum(events[28]), sum(events[29]), sum(events[30]), sum(events[31])] AS events
  FROM active WHERE workspace = :'workspace' AND account <> '00000000-0000-0000-0000-000000000000'
    AND month = ANY(ARRAY(SELECT month FROM months))
  GROUP BY 1, 2
), did AS MATERIALIZED (
  SELECT account, is_now, day - lower(span) AS step, day, events
  FROM (SELECT account, month + generate_subscripts(events, 1) - 1 AS day, unnest(events) AS events FROM by_month) AS by_day
    JOIN parts ON day <@ kept
  WHERE events > 0
  UNION ALL
  SELECT account, is_now, CASE WHEN isempty(:'days'::daterange) THEN (extract(epoch FROM at - lower(clock)) / 3600)::int ELSE at::date - coalesce(lower(span), lower(clock)::date) END, at::date, sum(events) FROM (
    SELECT account, is_now, span, clock, day + (generate_subscripts(events, 1) - 1) * interval '1 hour' AS at, unnest(events) AS events
    FROM parts JOIN hours ON day >= lower(clock)::date AND day <= upper(clock)::date
    WHERE workspace = :'workspace' AND account <> '00000000-0000-0000-0000-000000000000') AS by_hour
  WHERE events > 0 AND at <@ clock GROUP BY 1, 2, 3, 4
), fortnight AS MATERIALIZED (
  SELECT month::date AS month, (repeat('0', low) || repeat('1', high - low) || repeat('0', 31 - high))::bit(31) AS mask
  FROM (SELECT (now() AT TIME ZONE coalesce((SELECT zone FROM workspaces WHERE name = :'workspace'), 'UTC'))::date AS today) AS days
    CROSS JOIN LATERAL generate_series(date_trunc('month', (today - 13)::timestamp), today::timestamp, '1 month') AS month
    CROSS JOIN LATERAL (SELECT greatest(today - 13 - month::date, 0) AS low, least(today + 1 - month::date, 31) AS high) AS bounds
  LIMIT 2
), lately AS MATERIALIZED (
  SELECT id, sum(bit_count(days)) AS active_days FROM (
    SELECT id, fortnight.month, bit_or(days & mask) AS days FROM fortnight CROSS JOIN LATERAL (
      SELECT account AS id, days FROM active WHERE workspace = :'workspace' AND active.month = fortnight.month) AS own GROUP BY 1, 2) AS monthly
  GROUP BY 1
), listed AS MATERIALIZED (
  SELECT did.*, unique_id, coalesce(name_in(data), unique_id, did.id::text) AS name, events - before AS change,
         coalesce(data <> '{}' OR stage IS NOT NULL OR health IS NOT NULL OR health_value IS NOT NULL, FALSE) AS is_known,
         coalesce(health::text, trim(BOTH '"' FROM health_value), CASE WHEN active_days > 4 THEN 'good' WHEN active_days > 0 THEN 'average' ELSE 'bad' END) AS health,
         health IS NULL AND health_value IS NULL AS is_by_activity
  -- Added up, not joined, as below.
  FROM (SELECT id, coalesce(sum(events) FILTER (WHERE is_now), 0) AS events, coalesce(sum(events) FILTER (WHERE NOT is_now), 0) AS before,
               max(day) AS last_seen_on, max(active_days) AS active_days
        FROM (SELECT account AS id, is_now, events, day, NULL::numeric AS active_days FROM did
              UNION ALL SELECT id, NULL, NULL, NULL, active_days FROM lately) AS added GROUP BY 1 HAVING max(day) IS NOT NULL) AS did
    LEFT JOIN accounts USING (id)
), doers AS MATERIALIZED (
  SELECT account FROM account_names CROSS JOIN parts
  WHERE :'without' <> '' AND is_now AND workspace = :'workspace' AND name = left(:'without', 256) AND month > lower(kept) - 31 AND month < upper(kept)
    AND 0 < ANY (events[greatest(lower(kept) - month, 0) + 1 : upper(kept) - month])
  UNION
  SELECT account FROM parts CROSS JOIN counted_events
  WHERE :'without' <> '' AND is_now AND workspace = :'workspace' AND event_uid = :'without' AND left(event_uid, 64) = left(:'without', 64)
    AND id >= id_at((SELECT extract(epoch FROM min(lower(clock)) - interval '1 day') * 1000 FROM parts WHERE is_now)::bigint)
    AND day + hour * interval '1 hour' <@ clock
), fitting AS MATERIALIZED (
  SELECT * FROM listed
  WHERE CASE :'show' WHEN 'falling' THEN events > 0 AND events <= before * 0.75 WHEN 'silent' THEN events = 0 ELSE events > 0 END
    AND (:'health' = '' OR health = :'health') AND (:'without' = '' OR (id IN (SELECT account FROM doers)) IS NOT TRUE)
), sums AS MATERIALIZED (
  SELECT count(*) FILTER (WHERE is_known) AS known, count(*) FILTER (WHERE NOT is_known) AS others FROM listed
), shown AS MATERIALIZED (
  SELECT fitting.* FROM fitting CROSS JOIN sums
  WHERE CASE WHEN :'search' <> '' THEN strpos(lower(name COLLATE "und-x-icu"), lower(:'search' COLLATE "und-x-icu")) > 0
                                    OR strpos(lower(unique_id COLLATE "und-x-icu"), lower(:'search' COLLATE "und-x-icu")) > 0
             WHEN :'others' = 'true' THEN NOT is_known
             ELSE is_known OR known = 0 OR others <= 10 * known END
), placed AS MATERIALIZED (
  SELECT *, row_number() OVER (ORDER BY
      CASE WHEN :'sort' = 'name' AND :'order' = 'asc' THEN lower(name COLLATE "und-x-icu") END,
      CASE WHEN :'sort' = 'name' THEN lower(name COLLATE "und-x-icu") END DESC,
      CASE :'order' WHEN 'asc' THEN 1 ELSE -1 END
        * CASE :'sort' WHEN 'events' THEN events WHEN 'change' THEN change WHEN 'last_seen_on' THEN last_seen_on - '2000-01-01'::date
          WHEN 'health' THEN CASE WHEN health ~ '^-?[0-9]+([.][0-9]+)?$' THEN health::numeric ELSE array_position('{bad,average,good}'::text[], health) END END NULLS LAST, id) AS place
  FROM shown
), needed AS MATERIALIZED (
  SELECT * FROM placed WHERE :'sort' IN ('contacts', 'active_contacts') OR place > :'offset'::int AND place <= :'offset'::int + :'limit'::int
), members AS (
  SELECT account_id AS id, count(*) AS contacts, NULL::bigint AS active_contacts FROM account_contacts
  WHERE :'members' = 'true' AND (account_id IN (SELECT id FROM needed)) IS TRUE GROUP BY 1
  UNION ALL
  SELECT account, NULL, count(DISTINCT contact) FROM (
    SELECT account, contact FROM months CROSS JOIN LATERAL (
      SELECT account, contact, days FROM active WHERE workspace = :'workspace' AND active.month = months.month) AS own
    WHERE is_now AND :'members' = 'true' AND (account IN (SELECT id FROM needed)) IS TRUE AND days & mask <> repeat('0', 31)::bit(31)
    UNION ALL
    SELECT account, contact FROM (
      SELECT account, contact, clock, day + (generate_subscripts(events, 1) - 1) * interval '1 hour' AS at, unnest(events) AS events
      FROM parts JOIN hours ON day >= lower(clock)::date AND day <= upper(clock)::date
      WHERE is_now AND :'members' = 'true' AND workspace = :'workspace' AND (account IN (SELECT id FROM needed)) IS TRUE) AS by_hour
    WHERE events > 0 AND at <@ clock) AS either GROUP BY 1
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
    SELECT * FROM shown WHERE (id IN (SELECT id FROM page_ids)) IS TRUE) AS shown USING (id)
), steps AS (
  SELECT id, is_now, json_agg(coalesce(did.events, 0) ORDER BY step) AS counts
  FROM page CROSS JOIN (VALUES (TRUE), (FALSE)) AS times (is_now) CROSS JOIN (
      SELECT generate_series(0, coalesce(upper(span) - lower(span), (extract(epoch FROM upper(clock) - lower(clock)) / 3600)::int) - 1)
      FROM parts WHERE is_now) AS every (step)
    LEFT JOIN (SELECT account AS id, is_now, step, sum(events) AS events FROM did WHERE (account IN (SELECT id FROM page_ids)) IS TRUE GROUP BY 1, 2, 3) AS did USING (id, is_now, step)
  GROUP BY 1, 2
), fell AS (
  SELECT * FROM listed WHERE change < 0 ORDER BY change, before DESC, id LIMIT 50
)
SELECT json_build_object(
  'active', (SELECT count(*) FROM listed WHERE events > 0),
  'falling', (SELECT count(*) FROM listed WHERE events > 0 AND events <= before * 0.75),
  'silent', (SELECT count(*) FROM listed WHERE events = 0),
  'total', (SELECT count(*) FROM shown),
  'events', (SELECT coalesce(sum(events), 0) FROM listed), 'before', (SELECT coalesce(sum(before), 0) FROM listed),
  'others', (SELECT json_build_object('total', count(*), 'events', coalesce(sum(events), 0)) FROM fitting CROSS JOIN sums
             WHERE NOT is_known AND known > 0 AND others > 10 * known AND :'search' = '' AND :'others' <> 'true' HAVING count(*) > 0),
  'data', (SELECT coalesce(json_agg(json_build_object(
      'id', id, 'unique_id', coalesce(told(unique_id), to_json(id)), 'name', CASE name WHEN unique_id THEN told(unique_id) ELSE to_json(name) END,
      'contacts', contacts, 'active_contacts', active_contacts, 'events', events, 'before', before, 'change', change,
      'counts', (SELECT counts FROM steps WHERE steps.id = page.id AND is_now),
      'counts_before', (SELECT counts FROM steps WHERE steps.id = page.id AND NOT is_now),
      'last_seen_on', last_seen_on, 'health', health, 'health_source', CASE WHEN is_by_activity THEN 'activity: ' || health END) ORDER BY place), '[]') FROM page),
  'fell', (SELECT coalesce(json_agg(json_build_object(
      'id', id, 'key', coalesce(told(unique_id), to_json(id)), 'name', CASE name WHEN unique_id THEN told(unique_id) ELSE to_json(name) END,
      'events', events, 'before', before) ORDER BY change, before DESC, id), '[]') FROM fell)
) AS answer;
