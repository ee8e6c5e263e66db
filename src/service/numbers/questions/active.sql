-- How many different contacts or accounts were active?
-- In all, before, and on each day or in each hour. Of days whose events are gone each has its own figure, and none is in the sum.
-- :workspace: whose data
-- :of = 'contact': contact or account
-- :account = '': of this account alone
-- :days: such as [2026-11-01,2026-11-30], or empty
-- :hours = 'empty': of the clock, of the last nine days, such as [2026-11-29 13:00,2026-11-30 13:00)
-- :days_before: what they stand against
-- :hours_before = 'empty': and of these
WITH parts AS MATERIALIZED (
  SELECT * FROM times_of(:'days', :'hours', :'days_before', :'hours_before', (SELECT past FROM counted WHERE workspace = :'workspace'))
), months AS MATERIALIZED (
  SELECT is_now, months.* FROM parts CROSS JOIN LATERAL months_of(kept) AS months
), by_month AS MATERIALIZED (
  SELECT is_now, month, CASE :'of' WHEN 'contact' THEN contact ELSE account END AS who, bit_or(days & mask) AS days FROM months JOIN active USING (month)
  WHERE workspace = :'workspace' AND active.month = ANY(ARRAY(SELECT month FROM months)) AND (:'account' = '' OR account = key_of(:'workspace', 'account', :'account'))
    AND days & mask <> 0::bit(31) AND CASE :'of' WHEN 'contact' THEN contact ELSE account END <> '00000000-0000-0000-0000-000000000000' GROUP BY 1, 2, 3
), by_hour AS MATERIALIZED (
  SELECT is_now, (extract(epoch FROM day - lower(clock)) / 3600)::int + hour - 1 AS step, CASE :'of' WHEN 'contact' THEN contact ELSE account END AS who
  FROM parts CROSS JOIN LATERAL days_of(clock) AS own JOIN hours USING (day) CROSS JOIN LATERAL unnest(events) WITH ORDINALITY AS events (number, hour)
  WHERE workspace = :'workspace' AND (:'account' = '' OR account = key_of(:'workspace', 'account', :'account'))
    AND number > 0 AND hour > low AND hour <= high AND CASE :'of' WHEN 'contact' THEN contact ELSE account END <> '00000000-0000-0000-0000-000000000000'
), different AS MATERIALIZED (
  SELECT is_now, count(*) AS count FROM (
    SELECT is_now, who FROM by_month UNION SELECT is_now, who FROM by_hour) AS either GROUP BY is_now
), by_day AS (
  SELECT month, ARRAY[
    sum(get_bit(days, 0)), sum(get_bit(days, 1)), sum(get_bit(days, 2)), sum(get_bit(days, 3)), sum(get_bit(days, 4)), sum(get_bit(days, 5)),
    sum(get_bit(days, 6)), sum(get_bit(days, 7)), sum(get_bit(days, 8)), sum(get_bit(days, 9)), sum(get_bit(days, 10)), sum(get_bit(days, 11)),
    sum(get_bit(days, 12)), sum(get_bit(days, 13)), sum(get_bit(days, 14)), sum(get_bit(days, 15)), sum(get_bit(days, 16)), sum(get_bit(days, 17)),
    sum(get_bit(days, 18)), sum(get_bit(days, 19)), sum(get_bit(days, 20)), sum(get_bit(days, 21)), sum(get_bit(days, 22)), sum(get_bit(days, 23)),
    sum(get_bit(days, 24)), sum(get_bit(days, 25)), sum(get_bit(days, 26)), sum(get_bit(days, 27)), sum(get_bit(days, 28)), sum(get_bit(days, 29)),
    sum(get_bit(days, 30))] AS counts
  FROM by_month WHERE is_now GROUP BY 1
), counts AS (
  SELECT month + at::int - 1 - (SELECT lower(span) FROM parts WHERE is_now) AS step, count
  FROM by_day CROSS JOIN LATERAL unnest(counts) WITH ORDINALITY AS each (count, at) WHERE count > 0
  UNION ALL SELECT step, count(DISTINCT who) FROM by_hour WHERE is_now GROUP BY 1
  UNION ALL SELECT day - lower(span), CASE :'of' WHEN 'contact' THEN contacts ELSE accounts END
  FROM parts JOIN totals ON day >= lower(span) AND day < upper(span) WHERE is_now AND workspace = :'workspace' AND :'account' = ''
)
SELECT json_build_object(
  'total', coalesce((SELECT count FROM different WHERE is_now), 0),
  'before', coalesce((SELECT count FROM different WHERE NOT is_now), 0),
  'counts', (SELECT json_agg(coalesce(count, 0) ORDER BY step)
             FROM (SELECT generate_series(0, steps - 1) AS step FROM parts WHERE is_now) AS every LEFT JOIN counts USING (step))
) AS answer;
