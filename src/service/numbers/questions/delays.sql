-- How late do events arrive?
-- An event waits in the browser while the visitor is offline or the service is away; it counts on the day on which it happened. For each such day: how many events came over an hour late, and within how many seconds half of them and 99 of 100 came. A device whose clock is behind seems late, too. Looked at are 50,000 events, the latest of each day.
-- group: How complete the figures are
-- none: No event of this time says when it happened; those that the script sends do.
-- heads: late = over an hour late, half_within_s = half came within (seconds), most_within_s = 99 of 100 within (seconds)
WITH came AS MATERIALIZED (
  SELECT (extract(epoch FROM day) * 1000)::bigint AS began, 50000 / count(*) OVER () AS most
  FROM generate_series(:'from'::date - 1, least(:'to'::date + 32, now()), '1 day') AS day
)
SELECT json_build_object('data', (SELECT coalesce(json_agg(one ORDER BY day), '[]') FROM (
  SELECT day, count(*) AS events, count(*) FILTER (WHERE received_at - at > 3600000) AS late,
         percentile_disc(0.5) WITHIN GROUP (ORDER BY received_at - at) / 1000.0 AS half_within_s,
         percentile_disc(0.99) WITHIN GROUP (ORDER BY received_at - at) / 1000.0 AS most_within_s
  FROM came CROSS JOIN LATERAL (
    SELECT received_at, at, day, occurred_at FROM counted_events
    WHERE workspace = :'workspace' AND id >= id_at(began) AND id < id_at(began + 86400000) ORDER BY id DESC LIMIT most) AS events
  WHERE occurred_at IS NOT NULL AND day BETWEEN :'from'::date AND :'to'::date
  GROUP BY day) AS one)) AS answer;
