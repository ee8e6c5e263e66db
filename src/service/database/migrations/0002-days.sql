-- The sums by quarters of an hour, in whose place are counts by days; and bodies of refused events, which nobody keeps any more.
DROP TABLE dead_letters, sums, sums_anew, sums_stale, sums_renewed, sums_followed, active_contacts, active_accounts, active_weeks;

-- A day is one of the time zone of its workspace.
ALTER TABLE workspaces ADD COLUMN zone TEXT NOT NULL DEFAULT 'UTC';

-- Somebody who comes into the list or leaves it: up to which event (by contact and id) that is done, of those in front of `upto`;
-- `joins`: they are counted again. Nothing in `upto`: all is done, none counts. `back`: is to leave the list.
ALTER TABLE left_out
  ADD COLUMN upto UUID, ADD COLUMN contact UUID, ADD COLUMN event UUID,
  ADD COLUMN joins BOOLEAN NOT NULL DEFAULT FALSE, ADD COLUMN back BOOLEAN NOT NULL DEFAULT FALSE;

-- Who was active: the events of a contact in an account on each day of a month, and a bit for each day that has some. Of events
-- without an account it is 00000000-0000-0000-0000-000000000000.
CREATE TABLE active (
  workspace TEXT NOT NULL,
  month     DATE NOT NULL,
  contact   UUID NOT NULL,
  account   UUID NOT NULL,
  days      BIT(31) NOT NULL,
  events    INTEGER[] NOT NULL,
  PRIMARY KEY (workspace, month, contact, account)
) WITH (fillfactor = 85);

-- The same by the hours of the clock, of the last nine days.
CREATE TABLE hours (
  workspace TEXT NOT NULL,
  day       DATE NOT NULL,
  contact   UUID NOT NULL,
  account   UUID NOT NULL,
  events    INTEGER[] NOT NULL,
  PRIMARY KEY (workspace, day, contact, account)
) WITH (fillfactor = 85);

-- How many events of a name, a path, a host or a referrer came on a day, and of the last nine days in each of its hours; an empty
-- key is the rest.
CREATE TABLE days (
  workspace TEXT NOT NULL,
  day       DATE NOT NULL,
  kind      TEXT NOT NULL,
  key       TEXT NOT NULL,
  events    BIGINT NOT NULL,
  hours     INTEGER[],
  PRIMARY KEY (workspace, day, kind, key)
) WITH (fillfactor = 85);

-- How many events of a name an account had on each day of a month; an empty name is the rest.
CREATE TABLE account_names (
  workspace TEXT NOT NULL,
  month     DATE NOT NULL,
  account   UUID NOT NULL,
  name      TEXT NOT NULL,
  events    INTEGER[] NOT NULL,
  PRIMARY KEY (workspace, month, account, name)
) WITH (fillfactor = 85);

-- All that is told of a day whose events are gone by their age.
CREATE TABLE totals (
  workspace TEXT NOT NULL,
  day       DATE NOT NULL,
  events    BIGINT NOT NULL,
  views     BIGINT NOT NULL,
  contacts  BIGINT NOT NULL,
  accounts  BIGINT NOT NULL,
  PRIMARY KEY (workspace, day)
);

-- How far a workspace is counted: the first id that is not (nothing: it has not begun); the first day that is not folded, that is
-- not past by retention, and of whose month the past is not taken out of the rows; and of the day that is being counted anew what is done.
CREATE TABLE counted (
  workspace TEXT PRIMARY KEY,
  id        UUID,
  folded    DATE,
  past      DATE,
  cleared   DATE,
  day       DATE,
  upto      UUID,
  part      TEXT,
  at        BIGINT,
  after     UUID
);

-- The days that are to be counted anew.
CREATE TABLE days_stale (
  workspace TEXT NOT NULL,
  day       DATE NOT NULL,
  PRIMARY KEY (workspace, day)
);

-- What has been counted of the day that is counted anew.
CREATE TABLE active_anew (LIKE active INCLUDING ALL);
CREATE TABLE hours_anew (LIKE hours INCLUDING ALL);
CREATE TABLE days_anew (LIKE days INCLUDING ALL);
CREATE TABLE account_names_anew (LIKE account_names INCLUDING ALL);

-- The events that count, with the time at which each happened where that is believed, else of its receipt; day and hour are those of
-- the workspace.
CREATE VIEW counted_events AS
SELECT events.*, timed.at,
  (to_timestamp(timed.at / 1000.0) AT TIME ZONE coalesce(workspaces.zone, 'UTC'))::date AS day,
  extract(hour FROM to_timestamp(timed.at / 1000.0) AT TIME ZONE coalesce(workspaces.zone, 'UTC'))::int AS hour,
  CASE WHEN account_uid <> '' THEN left(encode(sha256(convert_to(workspace || '/account:' || account_uid, 'UTF8')), 'hex'), 32)::uuid
    ELSE '00000000-0000-0000-0000-000000000000' END AS account,
  left(event_uid, 256) AS name,
  left(substr(page, strpos(page, '/')), 256) AS path,
  nullif(split_part(page, '/', 1), '') AS host
FROM events
  LEFT JOIN workspaces ON workspaces.name = events.workspace
  CROSS JOIN LATERAL (SELECT CASE WHEN occurred_at BETWEEN received_at - 2592000000 AND received_at THEN occurred_at ELSE received_at END AS at) AS timed
WHERE NOT EXISTS (SELECT FROM left_out WHERE left_out.workspace = events.workspace AND kind = 'contact' AND id = contact_id AND NOT back)
  AND NOT EXISTS (SELECT FROM left_out WHERE left_out.workspace = events.workspace AND kind = 'account' AND unique_id = account_uid AND NOT back);

-- A uid or a name as the tables hold it, escaped as inside a JSON string.
CREATE FUNCTION told(stored TEXT) RETURNS JSON LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN stored ~ '^([^"\\\x01-\x1f]|\\(["\\/bfnrt]|u[0-9a-fA-F]{4}))*$' THEN ('"' || stored || '"')::json ELSE to_json(stored) END
$$;

-- The name in the data of a record. What PostgreSQL cannot read as JSON is not looked at.
CREATE FUNCTION name_in(data TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN data LIKE '{%"name"%' AND regexp_replace(data, '\\u[dD][89abAB]..\\u[dD][c-fC-F]..', '', 'g') !~ '\\u(0000|[dD][89a-fA-F])'
              AND json_typeof(data::json -> 'name') = 'string' THEN nullif(data::json ->> 'name', '') END
$$;

-- The id of an account or a contact, and the lowest id of an event of a time.
CREATE FUNCTION key_of(workspace TEXT, kind TEXT, uid TEXT) RETURNS UUID LANGUAGE sql IMMUTABLE AS $$
  SELECT left(encode(sha256(convert_to(workspace || '/' || kind || ':' || uid, 'UTF8')), 'hex'), 32)::uuid
$$;

CREATE FUNCTION id_at(milliseconds BIGINT) RETURNS UUID LANGUAGE sql IMMUTABLE AS $$
  SELECT (lpad(to_hex(greatest(milliseconds, 0)), 12, '0') || '70008000000000000000')::uuid
$$;

-- The months of days, in each those behind `low` up to `high`, and their bits; `shift` puts the bits of a fortnight beside each other.
CREATE FUNCTION months_of(days DATERANGE) RETURNS TABLE (month DATE, low INTEGER, high INTEGER, mask BIT(31), shift INTEGER) LANGUAGE sql IMMUTABLE STRICT ROWS 4 AS $$
  SELECT month::date, low, high, (repeat('0', low) || repeat('1', high - low) || repeat('0', 31 - high))::bit(31),
         (first_value(low) OVER (ORDER BY month) - 31 * (row_number() OVER (ORDER BY month) - 1))::int
  FROM generate_series(date_trunc('month', lower(days)::timestamp), upper(days) - 1, '1 month') AS month
    CROSS JOIN LATERAL (SELECT greatest(lower(days) - month::date, 0) AS low, least(upper(days) - month::date, 31) AS high) AS bounds
$$;

-- The days of hours, in each those behind `low` up to `high`.
CREATE FUNCTION days_of(hours TSRANGE) RETURNS TABLE (day DATE, low INTEGER, high INTEGER) LANGUAGE sql IMMUTABLE STRICT ROWS 2 AS $$
  SELECT day::date, greatest(extract(epoch FROM lower(hours) - day) / 3600, 0)::int, least(extract(epoch FROM upper(hours) - day) / 3600, 24)::int
  FROM generate_series(date_trunc('day', lower(hours)), upper(hours) - interval '1 hour', '1 day') AS day
$$;

-- A time and the time before, each by days or by the hours of the clock; `kept` are the days that are not past.
CREATE FUNCTION times_of(days TEXT, hours TEXT, days_before TEXT, hours_before TEXT, past DATE)
RETURNS TABLE (is_now BOOLEAN, span DATERANGE, kept DATERANGE, clock TSRANGE, steps INTEGER) LANGUAGE sql STABLE ROWS 2 AS $$
  SELECT is_now, span, span * daterange(past, NULL), clock, coalesce(upper(span) - lower(span), (extract(epoch FROM upper(clock) - lower(clock)) / 3600)::int)
  FROM (VALUES (TRUE, days::daterange, hours::tsrange), (FALSE, days_before::daterange, hours_before::tsrange)) AS times (is_now, span, clock)
$$;

-- The events of the places of an array behind `low` up to `high`, as one expression, which is written into the question.
CREATE FUNCTION events_in(events INTEGER[], low INTEGER, high INTEGER) RETURNS INTEGER LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN low < 1 AND high >= 1 THEN events[1] ELSE 0 END + CASE WHEN low < 2 AND high >= 2 THEN events[2] ELSE 0 END + CASE WHEN low < 3 AND high >= 3 THEN events[3] ELSE 0 END
    + CASE WHEN low < 4 AND high >= 4 THEN events[4] ELSE 0 END + CASE WHEN low < 5 AND high >= 5 THEN events[5] ELSE 0 END + CASE WHEN low < 6 AND high >= 6 THEN events[6] ELSE 0 END
    + CASE WHEN low < 7 AND high >= 7 THEN events[7] ELSE 0 END + CASE WHEN low < 8 AND high >= 8 THEN events[8] ELSE 0 END + CASE WHEN low < 9 AND high >= 9 THEN events[9] ELSE 0 END
    + CASE WHEN low < 10 AND high >= 10 THEN events[10] ELSE 0 END + CASE WHEN low < 11 AND high >= 11 THEN events[11] ELSE 0 END + CASE WHEN low < 12 AND high >= 12 THEN events[12] ELSE 0 END
    + CASE WHEN low < 13 AND high >= 13 THEN events[13] ELSE 0 END + CASE WHEN low < 14 AND high >= 14 THEN events[14] ELSE 0 END + CASE WHEN low < 15 AND high >= 15 THEN events[15] ELSE 0 END
    + CASE WHEN low < 16 AND high >= 16 THEN events[16] ELSE 0 END + CASE WHEN low < 17 AND high >= 17 THEN events[17] ELSE 0 END + CASE WHEN low < 18 AND high >= 18 THEN events[18] ELSE 0 END
    + CASE WHEN low < 19 AND high >= 19 THEN events[19] ELSE 0 END + CASE WHEN low < 20 AND high >= 20 THEN events[20] ELSE 0 END + CASE WHEN low < 21 AND high >= 21 THEN events[21] ELSE 0 END
    + CASE WHEN low < 22 AND high >= 22 THEN events[22] ELSE 0 END + CASE WHEN low < 23 AND high >= 23 THEN events[23] ELSE 0 END + CASE WHEN low < 24 AND high >= 24 THEN events[24] ELSE 0 END
    + CASE WHEN low < 25 AND high >= 25 THEN events[25] ELSE 0 END + CASE WHEN low < 26 AND high >= 26 THEN events[26] ELSE 0 END + CASE WHEN low < 27 AND high >= 27 THEN events[27] ELSE 0 END
    + CASE WHEN low < 28 AND high >= 28 THEN events[28] ELSE 0 END + CASE WHEN low < 29 AND high >= 29 THEN events[29] ELSE 0 END + CASE WHEN low < 30 AND high >= 30 THEN events[30] ELSE 0 END
    + CASE WHEN low < 31 AND high >= 31 THEN events[31] ELSE 0 END
$$;

-- The days of a month that have events.
CREATE FUNCTION bits_of(events INTEGER[]) RETURNS BIT(31) LANGUAGE sql IMMUTABLE AS $$
  SELECT (CASE WHEN events[1] > 0 THEN 1073741824 ELSE 0 END + CASE WHEN events[2] > 0 THEN 536870912 ELSE 0 END + CASE WHEN events[3] > 0 THEN 268435456 ELSE 0 END + CASE WHEN events[4] > 0 THEN 134217728 ELSE 0 END
    + CASE WHEN events[5] > 0 THEN 67108864 ELSE 0 END + CASE WHEN events[6] > 0 THEN 33554432 ELSE 0 END + CASE WHEN events[7] > 0 THEN 16777216 ELSE 0 END + CASE WHEN events[8] > 0 THEN 8388608 ELSE 0 END
    + CASE WHEN events[9] > 0 THEN 4194304 ELSE 0 END + CASE WHEN events[10] > 0 THEN 2097152 ELSE 0 END + CASE WHEN events[11] > 0 THEN 1048576 ELSE 0 END + CASE WHEN events[12] > 0 THEN 524288 ELSE 0 END
    + CASE WHEN events[13] > 0 THEN 262144 ELSE 0 END + CASE WHEN events[14] > 0 THEN 131072 ELSE 0 END + CASE WHEN events[15] > 0 THEN 65536 ELSE 0 END + CASE WHEN events[16] > 0 THEN 32768 ELSE 0 END
    + CASE WHEN events[17] > 0 THEN 16384 ELSE 0 END + CASE WHEN events[18] > 0 THEN 8192 ELSE 0 END + CASE WHEN events[19] > 0 THEN 4096 ELSE 0 END + CASE WHEN events[20] > 0 THEN 2048 ELSE 0 END
    + CASE WHEN events[21] > 0 THEN 1024 ELSE 0 END + CASE WHEN events[22] > 0 THEN 512 ELSE 0 END + CASE WHEN events[23] > 0 THEN 256 ELSE 0 END + CASE WHEN events[24] > 0 THEN 128 ELSE 0 END
    + CASE WHEN events[25] > 0 THEN 64 ELSE 0 END + CASE WHEN events[26] > 0 THEN 32 ELSE 0 END + CASE WHEN events[27] > 0 THEN 16 ELSE 0 END + CASE WHEN events[28] > 0 THEN 8 ELSE 0 END
    + CASE WHEN events[29] > 0 THEN 4 ELSE 0 END + CASE WHEN events[30] > 0 THEN 2 ELSE 0 END + CASE WHEN events[31] > 0 THEN 1 ELSE 0 END)::bit(31)
$$;

-- The last day of a month that has a bit.
CREATE FUNCTION last_day(month DATE, days BIT(31)) RETURNS DATE LANGUAGE sql IMMUTABLE AS $$
  SELECT month + 30 - bit_count((~days::int & (days::int - 1))::bit(31))::int
$$;

-- The last fourteen days, and the health that nobody has set, by how many of them were active.
CREATE FUNCTION fortnight(zone TEXT) RETURNS DATERANGE LANGUAGE sql STABLE AS $$
  SELECT daterange((now() AT TIME ZONE coalesce(zone, 'UTC'))::date - 13, (now() AT TIME ZONE coalesce(zone, 'UTC'))::date + 1)
$$;

CREATE FUNCTION health_by(active_days BIGINT) RETURNS TEXT LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN active_days > 4 THEN 'good' WHEN active_days > 0 THEN 'average' ELSE 'bad' END
$$;
