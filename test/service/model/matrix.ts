/*
 * What holds under what: rows are what goes wrong, columns are promises of the service in test/README.md, by their words there. A cell names the
 * test that holds it, as `file: "name"`, or says after `-` why the pair makes no sense.
 */

/** A history that is held against the model, in one process or with processes that are killed. */
const [MODEL, KILLED] = [
  'model/model.test: "is as the model says"',
  'model/spawned.test: "is as the model says where things break"',
];
const POINTS = 'model/spawned.test: "goes on where a command was killed after one of its operations"';

export const PROMISES = [
  "answered with 200 is there: once with a stamp, else at least once",
  "erased is in no row, file or answer, and comes back by a new event alone",
  "every figure equals a count anew, in each time zone",
  "who follows has each settled event once, in the order of ids",
  "a token that does not hold sees and changes nothing",
  "each answer has the form that the description has",
  "once a fault ends all is answered again within a minute",
  "the files of an archive have each event once",
] as const;

type Cells = readonly [string, string, string, string, string, string, string, string];

const WELL = "- nothing is broken";
const NO_FILE = "- archive runs as a command of its own, which does not see it";

export const MATRIX: Record<string, Cells> = {
  nothing: [MODEL, MODEL, MODEL, MODEL, MODEL, MODEL, WELL, MODEL],
  "the same event again": [MODEL, MODEL, MODEL, MODEL, "- a repeat has a token as any event", MODEL, WELL, MODEL],
  "an import of what was before": [
    MODEL,
    MODEL,
    MODEL,
    MODEL,
    "- a command needs no token",
    "- a command has no form of an answer",
    WELL,
    MODEL,
  ],
  "an erasure": [MODEL, MODEL, MODEL, MODEL, MODEL, MODEL, WELL, MODEL],
  retention: [MODEL, MODEL, MODEL, MODEL, "- it concerns events alone", MODEL, WELL, MODEL],
  "a dump that is restored": [
    MODEL,
    MODEL,
    MODEL,
    MODEL,
    MODEL,
    MODEL,
    WELL,
    "- a new archive is begun: commands/archive/archive.test",
  ],
  "a move to another server": [MODEL, MODEL, MODEL, MODEL, MODEL, MODEL, WELL, MODEL],
  "a second process": [MODEL, MODEL, MODEL, MODEL, MODEL, MODEL, WELL, NO_FILE],
  "a slow statement": [MODEL, MODEL, MODEL, MODEL, MODEL, MODEL, MODEL, MODEL],
  "a clock that is set": [MODEL, MODEL, MODEL, MODEL, MODEL, MODEL, MODEL, "- it waits until the clock is right"],
  "a token that is replaced or revoked": [
    MODEL,
    "- erasing is by any admin token",
    "- figures know no token",
    MODEL,
    MODEL,
    MODEL,
    WELL,
    "- a command needs no token",
  ],
  "kill -9 of the service": [KILLED, KILLED, KILLED, KILLED, KILLED, KILLED, KILLED, NO_FILE],
  "SIGTERM while requests are under way": [KILLED, KILLED, KILLED, KILLED, KILLED, KILLED, KILLED, NO_FILE],
  "PostgreSQL is killed": [KILLED, KILLED, KILLED, KILLED, KILLED, KILLED, KILLED, KILLED],
  "connections are cut": [KILLED, KILLED, KILLED, KILLED, KILLED, KILLED, KILLED, KILLED],
  "the disk is full": [KILLED, KILLED, KILLED, KILLED, KILLED, KILLED, KILLED, KILLED],
  "the end of a command or an erasure at any operation": [
    KILLED,
    POINTS,
    POINTS,
    POINTS,
    "- tokens are one statement each",
    "- a command has no form of an answer",
    POINTS,
    POINTS,
  ],
  "a power cut": [
    'attack/main: "power: {"',
    "- an erasure is committed as an event is",
    "- sums are committed as events are",
    "- ids are those of events",
    "- tokens are committed as events are",
    "- nothing is answered",
    'attack/main: "power: {"',
    "- files are whole or not in the manifest: commands/archive/archive.test",
  ],
  "a release that is gone back to": [
    'test/upgrade/upgrade.test: "changes the tables under load"',
    "- an erasure needs no table that a release adds",
    'test/upgrade/upgrade.test: "changes the tables under load"',
    'test/upgrade/upgrade.test: "changes the tables under load"',
    "- tokens need no table that a release adds",
    "- each release has its own description",
    'test/upgrade/upgrade.test: "changes the tables under load"',
    "- an archive names the format of its files",
  ],
};
