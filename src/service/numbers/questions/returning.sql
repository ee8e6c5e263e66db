-- How many come back in the weeks after their first?
-- Of those first seen in one of the last twelve weeks (from Monday): how many were active in each of the eight weeks after it, as far as these have begun.
-- :workspace: whose data
-- :of = 'contact': contact or account
WITH own AS MATERIALIZED (
  SELECT date_trunc('week', now() AT TIME ZONE coalesce((SELECT zone FROM workspaces WHERE name = :'workspace'), 'UTC'))::date AS this_week,
         coalesce((SELECT past FROM counted WHERE workspace = :'workspace'), '-infinity') AS past
), rows AS NOT MATERIALIZED (
  SELECT CASE :'of' WHEN 'contact' THEN contact ELSE account END AS who, month, days FROM own JOIN active ON workspace = :'workspace'
  WHERE (month >= past OR month > past - 31 AND days & (repeat('0', least(greatest(past, '1970-01-01') - month, 31)) || repeat('1', 31))::bit(31) <> 0::bit(31))
    AND (:'of' = 'contact' OR account <> '00000000-0000-0000-0000-000000000000')
), weeks AS MATERIALIZED (
  SELECT week::date AS week, month::date AS month, (repeat('0', low) || repeat('1', greatest(high - low, 0)) || repeat('0', 31))::bit(31) AS mask
  FROM own CROSS JOIN LATERAL generate_series(this_week - 77, this_week::timestamp, '1 week') AS week
    CROSS JOIN LATERAL generate_series(date_trunc('month', week), week + interval '6 days', '1 month') AS month
    CROSS JOIN LATERAL (SELECT greatest(week::date - month::date, greatest(past, '1970-01-01') - month::date, 0) AS low, least(week::date + 7 - month::date, 31) AS high) AS bounds
  LIMIT 50
), first AS MATERIALIZED (
  SELECT month, (repeat('1', week - month) || repeat('0', 31 - (week - month)))::bit(31) AS mask FROM weeks ORDER BY week, month LIMIT 1
), former AS MATERIALIZED (
  SELECT DISTINCT who FROM rows CROSS JOIN first WHERE rows.month < first.month OR rows.month = first.month AND days & mask <> 0::bit(31)
), active_in AS MATERIALIZED (
  SELECT DISTINCT who, week FROM rows JOIN weeks USING (month)
  WHERE days & mask <> 0::bit(31) AND (who IN (SELECT who FROM former)) IS NOT TRUE
), began AS MATERIALIZED (
  SELECT week AS active, min(week) OVER (PARTITION BY who) AS week FROM active_in
), counts AS MATERIALIZED (
  SELECT week, (active - week) / 7 AS later, count(*) AS count FROM began GROUP BY 1, 2
)
SELECT json_build_object('of', :'of', 'data', (
  SELECT json_agg(json_build_object('week', week,
      'began', coalesce((SELECT count FROM counts WHERE counts.week = every.week AND later = 0), 0),
      'active', (SELECT coalesce(json_agg(coalesce(count, 0) ORDER BY one), '[]') FROM generate_series(1, least(8, (this_week - every.week) / 7)) AS one
                   LEFT JOIN counts ON counts.week = every.week AND later = one)) ORDER BY week)
  FROM own CROSS JOIN (SELECT DISTINCT week FROM weeks) AS every)
) AS answer;
