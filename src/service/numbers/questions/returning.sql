-- How many come back in the weeks after their first?
-- Shows whether people stay. Of those first seen in one of the last twelve weeks (from Monday): how many were active in each of the eight weeks after it, as far as these have begun.
-- group: People and accounts
-- page: /
-- heads: of = who, began = first seen in it
-- :of = 'contact': contact or account
WITH own AS MATERIALIZED (
  SELECT date_trunc('week', now() AT TIME ZONE coalesce((SELECT zone FROM workspaces WHERE name = :'workspace'), 'UTC'))::date - 77 AS first
), months AS MATERIALIZED (
  SELECT first, months.* FROM own CROSS JOIN LATERAL months_asked(
    daterange(first, first + 84)::text, daterange('1970-01-01', first)::text, (SELECT past FROM counted WHERE workspace = :'workspace')) AS months
), patterns AS MATERIALIZED (
  -- The first day of each week has a bit where any of its days has.
  SELECT (days | (days << 1) | (days << 2) | (days << 3) | (days << 4) | (days << 5) | (days << 6)) & repeat('1000000', 12)::bit(84) AS weeks, count(*) AS count FROM (
    SELECT CASE :'of' WHEN 'contact' THEN contact ELSE account END AS who, bit_or((days & mask)::bit(84) >> month - first) AS days
    FROM months JOIN active USING (month) WHERE workspace = :'workspace' AND (:'of' = 'contact' OR account <> '00000000-0000-0000-0000-000000000000')
    GROUP BY 1 HAVING bool_or(days & mask_before <> 0::bit(31)) IS NOT TRUE) AS began
  GROUP BY 1
), counts AS MATERIALIZED (
  SELECT week, at - week AS later, sum(count) AS count
  FROM (SELECT *, strpos(weeks::text, '1') / 7 AS week FROM patterns) AS began CROSS JOIN generate_series(0, 11) AS at
  WHERE get_bit(weeks, 7 * at) = 1 GROUP BY 1, 2
)
SELECT json_build_object('of', :'of', 'data', (
  SELECT json_agg(json_build_object('week', first + 7 * every.week,
      'began', coalesce((SELECT count FROM counts WHERE counts.week = every.week AND later = 0), 0),
      'active', (SELECT coalesce(json_agg(coalesce(count, 0) ORDER BY one), '[]') FROM generate_series(1, least(8, 11 - every.week)) AS one
                   LEFT JOIN counts ON counts.week = every.week AND later = one)) ORDER BY every.week)
  FROM own CROSS JOIN generate_series(0, 11) AS every (week))
) AS answer;
