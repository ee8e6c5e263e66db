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
  SELECT is_now, span, span * daterange((SELECT past FROM counted WHERE workspace = :'workspace'), NULL) AS kept, clock
  FROM (VALUES (TRUE, :'days'::daterange, :'hours'::tsrange), (FALSE, :'days_before'::daterange, :'hours_before'::tsrange)) AS parts (is_now, span, clock)
), months AS MATERIALIZED (
  SELECT is_now, month::date AS month, (repeat('0', low) || repeat('1', high - low) || repeat('0', 31 - high))::bit(31) AS mask
  FROM parts CROSS JOIN LATERAL generate_series(date_trunc('month', lower(kept)::timestamp), upper(kept) - 1, '1 month') AS month
    CROSS JOIN LATERAL (SELECT greatest(lower(kept) - month::date, 0) AS low, least(upper(kept) - month::date, 31) AS high) AS bounds
), by_month AS MATERIALIZED (
  SELECT is_now, month, who, bit_or(days & mask) AS days
  FROM months CROSS JOIN LATERAL (
    SELECT CASE :'of' WHEN 'contact' THEN contact ELSE account END AS who, days FROM active
    WHERE workspace = :'workspace' AND active.month = months.month AND (:'account' = '' OR account = key_of(:'workspace', 'account', :'account'))) AS own
  WHERE days & mask <> repeat('0', 31)::bit(31) AND who <> '00000000-0000-0000-0000-000000000000' GROUP BY 1, 2, 3
), by_hour AS MATERIALIZED (
  SELECT is_now, at - lower(clock) AS since, who FROM (
    SELECT is_now, clock, CASE :'of' WHEN 'contact' THEN contact ELSE account END AS who,
           day + (generate_subscripts(events, 1) - 1) * interval '1 hour' AS at, unnest(events) AS events
    FROM parts JOIN hours ON day >= lower(clock)::date AND day <= upper(clock)::date
    WHERE workspace = :'workspace' AND (:'account' = '' OR account = key_of(:'workspace', 'account', :'account'))) AS own
  WHERE events > 0 AND at <@ clock AND who <> '00000000-0000-0000-0000-000000000000'
), different AS MATERIALIZED (
  SELECT is_now, count(*) AS count FROM (
    SELECT is_now, who FROM by_month UNION SELECT is_now, who FROM by_hour) AS either GROUP BY is_now
), counts AS (
  SELECT month + (generate_subscripts(each, 1) - 1) - (SELECT lower(span) FROM parts WHERE is_now) AS step, unnest(each) AS count
  FROM (SELECT month, ARRAY[
    sum(get_bit(days, 0)), sum(get_bit(days, 1)), sum(get_bit(days, 2)), sum(get_bit(days, 3)), sum(get_bit(days, 4)),
    sum(get_bit(days, 5)), sum(get_bit(days, 6)), sum(get_bit(days, 7)), sum(get_bit(days, 8)), sum(get_bit(days, 9)),
    sum(get_bit(days, 10)), sum(get_bit(days, 11)), sum(get_bit(days, 12)), sum(get_bit(days, 13)), sum(get_bit(days, 14)),
    sum(get_bit(days, 15)), sum(get_bit(days, 16)), sum(get_bit(days, 17)), sum(get_bit(days, 18)), sum(get_bit(days, 19)),
    sum(get_bit(days, 20)), sum(get_bit(days, 21)), sum(get_bit(days, 22)), sum(get_bit(days, 23)), sum(get_bit(days, 24)),
    sum(get_bit(days, 25)), sum(get_bit(days, 26)), sum(get_bit(days, 27)), sum(get_bit(days, 28)), sum(get_bit(days, 29)),
    sum(get_bit(days, 30))] AS each FROM by_month WHERE is_now GROUP BY month) AS by_day
  UNION ALL SELECT (extract(epoch FROM since) / 3600)::int, count(DISTINCT who) FROM by_hour WHERE is_now GROUP BY 1
  UNION ALL SELECT day - lower(span), CASE :'of' WHEN 'contact' THEN contacts ELSE accounts END
  FROM parts JOIN totals ON day >= lower(span) AND day < upper(span) WHERE is_now AND workspace = :'workspace' AND :'account' = ''
)
SELECT json_build_object(
  'total', coalesce((SELECT count FROM different WHERE is_now), 0),
  'before', coalesce((SELECT count FROM different WHERE NOT is_now), 0),
  'counts', (SELECT json_agg(coalesce(count, 0) ORDER BY step)
             FROM (SELECT generate_series(0, coalesce(upper(span) - lower(span), (extract(epoch FROM upper(clock) - lower(clock)) / 3600)::int) - 1)
                   FROM parts WHERE is_now) AS every (step) LEFT JOIN (SELECT * FROM counts WHERE count > 0) AS counts USING (step))
) AS answer;
