-- How late do events arrive?
-- Of those that tell when they happened, by that day: half of them, and 99 of 100, came within so many seconds; `late` are those over an hour. A device whose clock is behind is late, too.
-- :workspace: whose data
-- :from: the first day, such as 2026-11-01
-- :to: the last day
SELECT json_build_object('data', (SELECT coalesce(json_agg(one ORDER BY day), '[]') FROM (
  SELECT day, count(*) AS events, count(*) FILTER (WHERE received_at - at > 3600000) AS late,
         percentile_disc(0.5) WITHIN GROUP (ORDER BY received_at - at) / 1000.0 AS half_within_s,
         percentile_disc(0.99) WITHIN GROUP (ORDER BY received_at - at) / 1000.0 AS most_within_s
  FROM counted_events
  WHERE workspace = :'workspace' AND occurred_at IS NOT NULL AND day BETWEEN :'from'::date AND :'to'::date
    AND received_at >= (SELECT (extract(epoch FROM :'from'::date - interval '1 day') * 1000)::bigint)
    AND received_at < (SELECT (extract(epoch FROM :'to'::date + interval '32 days') * 1000)::bigint)
  GROUP BY day) AS one)) AS answer;
