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
  LIMIT 50
), by_month AS MATERIALIZED (
  SELECT is_now, month, who, bit_or(days & mask) AS days
  FROM months CROSS JOIN LATERAL (
    SELECT CASE :'of' WHEN 'contact' THEN contact ELSE account END AS who, days FROM active
    WHERE workspace = :'workspace' AND active.month = months.month
      AND active.month BETWEEN (SELECT min(month) FROM months) AND (SELECT max(month) FROM months) AND (:'account' = '' OR account = key_of(:'workspace', 'account', :'account'))) AS own
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
), patterns AS (
  -- There are as many patterns of eight days as fit into a byte, however many are active.
  SELECT month, part, substring(days FROM 8 * part + 1 FOR 8) AS eight, count(*) AS count
  FROM by_month CROSS JOIN generate_series(0, 3) AS part WHERE is_now GROUP BY 1, 2, 3
), counts AS (
  SELECT month + 8 * part + at - (SELECT lower(span) FROM parts WHERE is_now) AS step, sum(count)::int AS count
  FROM patterns CROSS JOIN generate_series(0, 7) AS at WHERE at < length(eight) AND get_bit(eight, at) = 1 GROUP BY 1
  UNION ALL SELECT (extract(epoch FROM since) / 3600)::int, count(DISTINCT who) FROM by_hour WHERE is_now GROUP BY 1
  UNION ALL SELECT day - lower(span), CASE :'of' WHEN 'contact' THEN contacts ELSE accounts END
  FROM parts JOIN totals ON day >= lower(span) AND day < upper(span) WHERE is_now AND workspace = :'workspace' AND :'account' = ''
)
SELECT json_build_object(
  'total', coalesce((SELECT count FROM different WHERE is_now), 0),
  'before', coalesce((SELECT count FROM different WHERE NOT is_now), 0),
  'counts', (SELECT json_agg(coalesce(count, 0) ORDER BY step)
             FROM (SELECT generate_series(0, coalesce(upper(span) - lower(span), (extract(epoch FROM upper(clock) - lower(clock)) / 3600)::int) - 1)
                   FROM parts WHERE is_now) AS every (step) LEFT JOIN counts USING (step))
) AS answer;
