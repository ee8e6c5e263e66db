-- How up to date are the figures?
-- Events count about a minute after they are stored. It says the first day that has events. Where older events are still being counted, since which day all are; whether somebody's are still being taken out, or in again; where older ones were deleted by age, since which day events are kept; and always when the last event was stored, and in which time zone days begin.
-- group: How complete the figures are
-- heads: first_on = first event, events_since = events are kept since, changing = somebody is being left out or counted again
SELECT json_build_object(
  'time_zone', coalesce((SELECT zone FROM workspaces WHERE name = :'workspace'), 'UTC'),
  'counted_back_to', (SELECT max(day) + 1 FROM days_stale WHERE workspace = :'workspace'),
  'changing', EXISTS (SELECT FROM left_out WHERE workspace = :'workspace' AND upto IS NOT NULL),
  'events_since', (SELECT past FROM counted WHERE workspace = :'workspace'),
  'first_on', (SELECT min(day) FROM (
    (SELECT day FROM days WHERE workspace = :'workspace' AND events > 0 ORDER BY day LIMIT 1)
    UNION ALL (SELECT day FROM totals WHERE workspace = :'workspace' AND events > 0 ORDER BY day LIMIT 1)) AS firsts),
  'last_event_at', (SELECT ('x' || replace(left(id::text, 13), '-', ''))::bit(48)::bigint FROM events WHERE workspace = :'workspace' ORDER BY id DESC LIMIT 1)
) AS answer;
