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
