-- All SQL is what PostgreSQL and Citus share, and there are no foreign keys: Citus allows them only between tables that
-- are distributed alike, and rows that belong together are written in one transaction.

CREATE TABLE service_state (
  name  TEXT PRIMARY KEY,
  value BIGINT NOT NULL
);

CREATE TABLE workspaces (
  name       TEXT PRIMARY KEY,
  created_at BIGINT NOT NULL
);

-- Of a token nothing but its digest is kept.
CREATE TABLE tokens (
  digest     TEXT PRIMARY KEY,
  workspace  TEXT NOT NULL,
  kind       TEXT NOT NULL,
  name       TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT
);

-- Of a record that only its events tell of, there is no stage and no metric.
CREATE TABLE accounts (
  id         UUID PRIMARY KEY,
  workspace  TEXT NOT NULL DEFAULT 'default',
  unique_id  TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  data       TEXT NOT NULL,
  stage      TEXT,
  health     BIGINT
);

CREATE TABLE contacts (
  id         UUID PRIMARY KEY,
  workspace  TEXT NOT NULL DEFAULT 'default',
  unique_id  TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  archived   BOOLEAN NOT NULL,
  data       TEXT NOT NULL,
  stage      TEXT,
  health     BIGINT
);

CREATE TABLE account_contacts (
  account_id UUID NOT NULL,
  contact_id UUID NOT NULL,
  PRIMARY KEY (account_id, contact_id)
);

CREATE INDEX account_contacts_by_contact ON account_contacts (contact_id, account_id);

CREATE TABLE users (
  id         TEXT PRIMARY KEY,
  workspace  TEXT NOT NULL DEFAULT 'default',
  email      TEXT NOT NULL,
  name       TEXT NOT NULL,
  role       TEXT NOT NULL,
  enabled    BOOLEAN NOT NULL,
  created_at BIGINT NOT NULL
);

CREATE INDEX users_by_time ON users (workspace, created_at, id);

-- The contact leads the keys, so that its events stand together on one node. The script's stamp is in columns alone (`stamp`,
-- `occurred_at`, `source`, `number`). Of a page view, `page` is host and path, and `referrer_host` that of another site.
-- Of an event is `unlisted` that its contact was made no member of its account.
CREATE TABLE events (
  contact_id    UUID NOT NULL,
  id            UUID NOT NULL,
  stamp         UUID,
  source        UUID,
  origin_id     UUID,
  received_at   BIGINT NOT NULL,
  occurred_at   BIGINT,
  number        INTEGER,
  proven        BOOLEAN,
  unlisted      BOOLEAN,
  workspace     TEXT NOT NULL,
  contact_uid   TEXT NOT NULL,
  account_uid   TEXT,
  event_uid     TEXT NOT NULL,
  page          TEXT,
  referrer_host TEXT,
  params        TEXT NOT NULL,
  PRIMARY KEY (contact_id, id)
);

CREATE UNIQUE INDEX events_by_stamp ON events (contact_id, stamp) WHERE stamp IS NOT NULL;

CREATE UNIQUE INDEX events_by_origin ON events (contact_id, origin_id) WHERE origin_id IS NOT NULL;

CREATE INDEX events_by_id ON events (workspace, id);

-- Only the span of each 128 pages: some kilobytes, by which a question about the last days reads those alone.
CREATE INDEX events_by_time ON events USING brin (received_at) WITH (autosummarize = on);

-- An index entry has a greatest length, the name of an event has not. Most events are page views: those are found by their ids.
CREATE INDEX events_by_name ON events (workspace, (left(event_uid, 64)), id) WHERE event_uid <> 'pageview';

CREATE INDEX events_unlisted ON events (workspace, (left(account_uid, 64)), contact_id) WHERE unlisted;

-- The ids of what was imported say nothing of the time of its receipt.
CREATE INDEX events_imported ON events (workspace, id) WHERE origin_id IS NOT NULL;

CREATE INDEX events_imported_by_time ON events (workspace, received_at, id) WHERE origin_id IS NOT NULL;

-- What was deleted, for who follows: events by their ids, or all before one. The reason is `erasure`, `name` or `retention`. An
-- erasure has the marks of its contacts first, as `tombstones`: events of before `erased_at` are theirs wherever they lie.
CREATE TABLE deletions (
  workspace TEXT NOT NULL,
  id        UUID NOT NULL,
  before    UUID,
  ids       UUID[],
  reason    TEXT NOT NULL,
  marks     UUID[],
  erased_at BIGINT,
  PRIMARY KEY (workspace, id)
);

-- Bodies of events that were refused, and what was decided of them: whether a page sent them, and whether their proof held.
CREATE TABLE dead_letters (
  id          UUID PRIMARY KEY,
  workspace   TEXT NOT NULL,
  received_at BIGINT NOT NULL,
  status      BIGINT NOT NULL,
  error       TEXT NOT NULL,
  bytes       BIGINT NOT NULL,
  of_page     BOOLEAN NOT NULL,
  proven      BOOLEAN,
  body        TEXT NOT NULL
);

CREATE INDEX dead_letters_by_id ON dead_letters (workspace, id);

CREATE TABLE service_keys (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
);

-- Who was erased, and when; a mark names nobody without the key.
CREATE TABLE tombstones (
  workspace TEXT NOT NULL,
  mark      UUID NOT NULL,
  erased_at BIGINT NOT NULL,
  PRIMARY KEY (workspace, mark)
);

CREATE TABLE audit (
  id        UUID PRIMARY KEY,
  workspace TEXT NOT NULL,
  at        BIGINT NOT NULL,
  token     TEXT NOT NULL,
  what      TEXT NOT NULL,
  subject   UUID NOT NULL,
  events    BIGINT
);

-- How many events a key has in a quarter of an hour, see `numbers`; an empty key is the rest.
CREATE TABLE sums (
  workspace TEXT NOT NULL,
  kind      TEXT NOT NULL,
  quarter   BIGINT NOT NULL,
  key       TEXT NOT NULL,
  events    BIGINT NOT NULL,
  PRIMARY KEY (workspace, kind, quarter, key)
);

-- In which of its 96 quarters of an hour of a day (UTC) somebody was active.
CREATE TABLE active_contacts (
  workspace  TEXT NOT NULL,
  day        DATE NOT NULL,
  contact_id UUID NOT NULL,
  quarters   BIT(96) NOT NULL,
  PRIMARY KEY (workspace, day, contact_id)
);

-- With the number of events in each of these quarters.
CREATE TABLE active_accounts (
  workspace  TEXT NOT NULL,
  day        DATE NOT NULL,
  account_id UUID NOT NULL,
  quarters   BIT(96) NOT NULL,
  events     BIGINT[] NOT NULL,
  PRIMARY KEY (workspace, day, account_id)
);

-- One's own accounts and contacts, whose events count nowhere.
CREATE TABLE left_out (
  workspace TEXT NOT NULL,
  kind      TEXT NOT NULL,
  id        UUID NOT NULL,
  unique_id TEXT NOT NULL,
  PRIMARY KEY (workspace, kind, id)
);

-- In which weeks (UTC, from Monday) a contact was active.
CREATE TABLE active_weeks (
  workspace  TEXT NOT NULL,
  week       DATE NOT NULL,
  contact_id UUID NOT NULL,
  PRIMARY KEY (workspace, week, contact_id)
);

-- The first id that is not in the sums yet.
CREATE TABLE sums_followed (
  workspace TEXT PRIMARY KEY,
  id        UUID NOT NULL
);

-- The hours that are to be counted anew, and whether something was deleted there.
CREATE TABLE sums_stale (
  workspace TEXT NOT NULL,
  hour      BIGINT NOT NULL,
  id        UUID NOT NULL,
  deleted   BOOLEAN NOT NULL,
  PRIMARY KEY (workspace, hour, id)
);

-- The hour that is being counted anew, up to which id, and how far that has come.
CREATE TABLE sums_renewed (
  workspace TEXT PRIMARY KEY,
  hour      BIGINT NOT NULL,
  deleted   BOOLEAN NOT NULL,
  until     UUID NOT NULL,
  part      TEXT NOT NULL,
  at        BIGINT NOT NULL,
  id        UUID NOT NULL
);

-- What has been counted of that hour, with all of its keys.
CREATE TABLE sums_anew (LIKE sums INCLUDING ALL);
