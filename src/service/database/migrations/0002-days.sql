-- The sums by quarters of an hour, in whose place are counts by days; and bodies of refused events, which nobody keeps any more.
DROP TABLE dead_letters, sums, sums_anew, sums_stale, sums_renewed, sums_followed, active_contacts, active_accounts, active_weeks;

-- A health is a number or a text, as JSON.
ALTER TABLE accounts ALTER COLUMN health TYPE TEXT;
ALTER TABLE contacts ALTER COLUMN health TYPE TEXT;

-- A day is one of the time zone of its workspace.
ALTER TABLE workspaces ADD COLUMN zone TEXT NOT NULL DEFAULT 'UTC';

-- Somebody who comes into the list or leaves it: up to which event (by contact and id) that is done, of those in front of `upto`;
-- `joins`: they are counted again. Nothing in `upto`: all is done, none counts. `back`: is to leave the list.
ALTER TABLE left_out
  ADD COLUMN upto UUID, ADD COLUMN contact UUID, ADD COLUMN event UUID,
  ADD COLUMN joins BOOLEAN NOT NULL DEFAULT FALSE, ADD COLUMN back BOOLEAN NOT NULL DEFAULT FALSE;

-- An array of events has running sums: in each place the events of it and of those before it, so that any days or hours are read at once.

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
  days      BIT(31) NOT NULL,
  events    INTEGER[] NOT NULL,
  PRIMARY KEY (workspace, month, account, name)
) WITH (fillfactor = 85);

-- The same of a contact, in all of its accounts and without one.
CREATE TABLE contact_names (
  workspace TEXT NOT NULL,
  month     DATE NOT NULL,
  contact   UUID NOT NULL,
  name      TEXT NOT NULL,
  days      BIT(31) NOT NULL,
  events    INTEGER[] NOT NULL,
  PRIMARY KEY (workspace, month, contact, name)
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
CREATE TABLE contact_names_anew (LIKE contact_names INCLUDING ALL);

-- The months of one account, and who did one thing.
CREATE INDEX active_by_account ON active (workspace, account, month);
CREATE INDEX account_names_by_name ON account_names (workspace, name, month);
CREATE INDEX contact_names_by_name ON contact_names (workspace, name, month);

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
  SELECT CASE WHEN data LIKE '{%"name"%' AND (strpos(data, '\u') = 0 OR regexp_replace(data, '\\u[dD][89abAB]..\\u[dD][c-fC-F]..', '', 'g') !~ '\\u(0000|[dD][89a-fA-F])')
              AND json_typeof(data::json -> 'name') = 'string' THEN nullif(data::json ->> 'name', '') END
$$;

-- A text as it is looked for, without case and accents; a letter that no accent makes is the one that a keyboard without it has.
CREATE FUNCTION folded(stored TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN octet_length(stored) = length(stored) THEN lower(stored COLLATE "C")
    ELSE replace(replace(replace(replace(translate(
      lower(regexp_replace(normalize(stored, NFD), '[\u0300-\u036f]', '', 'g') COLLATE "und-x-icu") COLLATE "C",
      'øłđðħıŧ', 'olddhit'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th') END
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

-- The months of both, in each the places behind `low` up to `high` and the bits, of all days from the first to the last (`seen`) and of the last
-- fourteen, where these are asked for (`lately`).
CREATE FUNCTION months_asked(days TEXT, days_before TEXT, past DATE, latest DATERANGE DEFAULT NULL, since DATE DEFAULT NULL)
RETURNS TABLE (month DATE, low INTEGER, high INTEGER, mask BIT(31), low_before INTEGER, high_before INTEGER, mask_before BIT(31), seen BIT(31), lately BIT(31), shift INTEGER)
LANGUAGE sql STABLE ROWS 4 AS $$
  SELECT month, own.low, own.high, own.mask, former.low, former.high, former.mask, every.mask, late.mask, late.shift
  FROM (SELECT days::daterange * daterange(past, NULL) AS own, days_before::daterange * daterange(past, NULL) AS former) AS kept
    CROSS JOIN LATERAL months_of(daterange(least(lower(own), lower(former), lower(latest), since), greatest(upper(own), upper(former), upper(latest)))) AS every
    LEFT JOIN LATERAL months_of(kept.own) AS own USING (month) LEFT JOIN LATERAL months_of(kept.former) AS former USING (month)
    LEFT JOIN LATERAL months_of(latest) AS late USING (month)
$$;

-- The days of the hours of both, in the same way.
CREATE FUNCTION hours_asked(hours TEXT, hours_before TEXT) RETURNS TABLE (day DATE, low INTEGER, high INTEGER, low_before INTEGER, high_before INTEGER)
LANGUAGE sql STABLE ROWS 3 AS $$
  SELECT day, own.low, own.high, former.low, former.high FROM days_of(hours::tsrange) AS own FULL JOIN days_of(hours_before::tsrange) AS former USING (day)
$$;

-- The events of an array behind the place `low` up to `high`.
CREATE FUNCTION events_in(events INTEGER[], low INTEGER, high INTEGER) RETURNS INTEGER LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(events[high], 0) - coalesce(events[low], 0)
$$;

-- Each place of an array that has events, and these.
CREATE FUNCTION each_of(up_to BIGINT[]) RETURNS TABLE (at INTEGER, events BIGINT) LANGUAGE sql IMMUTABLE ROWS 31 AS $$
  SELECT at, events FROM generate_subscripts(up_to, 1) AS at CROSS JOIN LATERAL (SELECT up_to[at] - coalesce(up_to[at - 1], 0) AS events) AS one WHERE events > 0
$$;

-- Two arrays together, of which one has less than none in some places: there nothing is left. And an array without its places behind `low` up to `high`.
CREATE FUNCTION less(events INTEGER[], gone INTEGER[]) RETURNS INTEGER[] LANGUAGE sql IMMUTABLE AS $$
  SELECT array_agg(up_to ORDER BY at) FROM (
    SELECT at, (sum(greatest(0, events_in(events, at - 1, at) + events_in(gone, at - 1, at))) OVER (ORDER BY at))::int AS up_to FROM generate_subscripts(events, 1) AS at) AS sums
$$;

CREATE FUNCTION without(events INTEGER[], low INTEGER, high INTEGER) RETURNS INTEGER[] LANGUAGE sql IMMUTABLE AS $$
  SELECT array_agg(events[at] - events_in(events, low, least(greatest(at, low), high)) ORDER BY at) FROM generate_subscripts(events, 1) AS at
$$;

-- The days of a month that have events.
CREATE FUNCTION bits_of(events INTEGER[]) RETURNS BIT(31) LANGUAGE sql IMMUTABLE AS $$
  SELECT string_agg((events_in(events, at - 1, at) > 0)::int::text, '' ORDER BY at)::bit(31) FROM generate_subscripts(events, 1) AS at
$$;

-- The last day of a month that has a bit; nothing where none has.
CREATE FUNCTION last_day(month DATE, days BIT(31)) RETURNS DATE LANGUAGE sql IMMUTABLE AS $$
  SELECT month + nullif(30 - bit_count((~days::int & (days::int - 1))::bit(31))::int, -1)
$$;

-- The last fourteen days, and the health that nobody has set, by how many of them were active.
CREATE FUNCTION fortnight(zone TEXT) RETURNS DATERANGE LANGUAGE sql STABLE AS $$
  SELECT daterange((now() AT TIME ZONE coalesce(zone, 'UTC'))::date - 13, (now() AT TIME ZONE coalesce(zone, 'UTC'))::date + 1)
$$;

CREATE FUNCTION health_by(active_days BIGINT) RETURNS TEXT LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN active_days > 4 THEN 'good' WHEN active_days > 0 THEN 'average' ELSE 'bad' END
$$;

-- Somebody, or a name, rises or falls where that is by a quarter at least, and by more than one event.
CREATE FUNCTION trend_of(events FLOAT8, before FLOAT8) RETURNS TEXT LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN abs(events - before) < greatest(2, before / 4) THEN NULL WHEN events < before THEN 'falling' ELSE 'rising' END
$$;

-- The events of each account by the days of a month.
CREATE VIEW account_days AS
SELECT workspace, month, account, ARRAY[
  sum(events[1]), sum(events[2]), sum(events[3]), sum(events[4]), sum(events[5]), sum(events[6]), sum(events[7]), sum(events[8]),
  sum(events[9]), sum(events[10]), sum(events[11]), sum(events[12]), sum(events[13]), sum(events[14]), sum(events[15]), sum(events[16]),
  sum(events[17]), sum(events[18]), sum(events[19]), sum(events[20]), sum(events[21]), sum(events[22]), sum(events[23]), sum(events[24]),
  sum(events[25]), sum(events[26]), sum(events[27]), sum(events[28]), sum(events[29]), sum(events[30]), sum(events[31])] AS events
FROM active GROUP BY workspace, month, account;
