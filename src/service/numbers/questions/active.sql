-- How many people or accounts were active?
-- In all, in the time before, and on each day or in each hour. Who was active on two days counts on both, and once in all. Days whose events are gone by their age have their own figure, and are not in the sum.
-- group: People and accounts
-- page: /
-- heads: of = who, total = how many in all
-- :of = 'contact': contact or account
-- :account = '': uid of one account
WITH parts AS MATERIALIZED (
  SELECT * FROM times_of(:'days', :'hours', :'days_before', :'hours_before', (SELECT past FROM counted WHERE workspace = :'workspace'))
), months AS MATERIALIZED (
  SELECT * FROM months_asked(:'days', :'days_before', (SELECT past FROM counted WHERE workspace = :'workspace'))
), active_in AS NOT MATERIALIZED (
  SELECT month, CASE :'of' WHEN 'contact' THEN contact ELSE account END AS who, days & mask AS days, days & mask_before AS days_before
  FROM months JOIN active USING (month)
  WHERE workspace = :'workspace' AND active.month BETWEEN (SELECT min(month) FROM months) AND (SELECT max(month) FROM months)
    AND (:'account' = '' OR account = key_of(:'workspace', 'account', :'account'))
    AND CASE :'of' WHEN 'contact' THEN contact ELSE account END <> '00000000-0000-0000-0000-000000000000'
), by_hour AS MATERIALIZED (
  SELECT day, low, high, low_before, high_before, CASE :'of' WHEN 'contact' THEN contact ELSE account END AS who, events
  FROM hours_asked(:'hours', :'hours_before') AS asked JOIN hours USING (day)
  WHERE workspace = :'workspace' AND (:'account' = '' OR account = key_of(:'workspace', 'account', :'account'))
    AND CASE :'of' WHEN 'contact' THEN contact ELSE account END <> '00000000-0000-0000-0000-000000000000'
), different AS MATERIALIZED (
  SELECT count(*) FILTER (WHERE is_now) AS total, count(*) FILTER (WHERE is_before) AS before FROM (
    SELECT who, bool_or(is_now) AS is_now, bool_or(is_before) AS is_before FROM (
      SELECT who, days <> 0::bit(31) AS is_now, days_before <> 0::bit(31) AS is_before FROM active_in
      UNION ALL SELECT who, events_in(events, low, high) > 0, events_in(events, low_before, high_before) > 0 FROM by_hour) AS either GROUP BY 1) AS every
), by_day AS (
  SELECT month, ARRAY[
    sum(get_bit(days, 0)), sum(get_bit(days, 1)), sum(get_bit(days, 2)), sum(get_bit(days, 3)), sum(get_bit(days, 4)), sum(get_bit(days, 5)),
    sum(get_bit(days, 6)), sum(get_bit(days, 7)), sum(get_bit(days, 8)), sum(get_bit(days, 9)), sum(get_bit(days, 10)), sum(get_bit(days, 11)),
    sum(get_bit(days, 12)), sum(get_bit(days, 13)), sum(get_bit(days, 14)), sum(get_bit(days, 15)), sum(get_bit(days, 16)), sum(get_bit(days, 17)),
    sum(get_bit(days, 18)), sum(get_bit(days, 19)), sum(get_bit(days, 20)), sum(get_bit(days, 21)), sum(get_bit(days, 22)), sum(get_bit(days, 23)),
    sum(get_bit(days, 24)), sum(get_bit(days, 25)), sum(get_bit(days, 26)), sum(get_bit(days, 27)), sum(get_bit(days, 28)), sum(get_bit(days, 29)),
    sum(get_bit(days, 30))] AS counts
  FROM (SELECT month, bit_or(days) AS days FROM active_in WHERE days <> 0::bit(31) GROUP BY month, who) AS each_one GROUP BY 1
), counts AS (
  SELECT month + at::int - 1 - (SELECT lower(span) FROM parts WHERE is_now) AS step, count
  FROM by_day CROSS JOIN LATERAL unnest(counts) WITH ORDINALITY AS each (count, at) WHERE count > 0
  UNION ALL SELECT (extract(epoch FROM day + (hour - 1) * interval '1 hour' - lower(clock)) / 3600)::int, count(DISTINCT who)
  FROM parts CROSS JOIN by_hour CROSS JOIN LATERAL generate_series(low + 1, high) AS hour WHERE is_now AND events_in(events, hour - 1, hour) > 0 GROUP BY 1
  UNION ALL SELECT day - lower(span), CASE :'of' WHEN 'contact' THEN contacts ELSE accounts END
  FROM parts JOIN totals ON day >= lower(span) AND day < upper(span) WHERE is_now AND workspace = :'workspace' AND :'account' = ''
)
SELECT json_build_object(
  'total', (SELECT total FROM different), 'before', (SELECT before FROM different),
  'counts', (SELECT json_agg(coalesce(count, 0) ORDER BY step)
             FROM (SELECT generate_series(0, steps - 1) AS step FROM parts WHERE is_now) AS every LEFT JOIN counts USING (step))
) AS answer;
