import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { digest } from "../base/exact-text.js";

/*
 * The schema is what the files of `migrations` make, in the order of their numbers. One that was released is never changed.
 * `0003-from-0002-x.sql` says that a build which knows 0002, and not this one, still runs on the tables; without `from` it
 * must know this one. That is the last one of the release before, also where a release has several. A release only adds what the build before can do without, and a later one takes away what nobody
 * needs any more: so the last build can be gone back to, and two run beside each other.
 */

/** Of one file. */
interface Migration {
  /** As the database knows it: by its text, too, so that a build knows those tables alone that it would make. */
  name: string;
  statements: readonly string[];
  /** Each statement is committed by itself, as `CREATE INDEX CONCURRENTLY` must be; where one fails, all are run again. */
  isApart: boolean;
}

/** The first line of a file whose statements run outside a transaction; empty lines part them. */
const APART = "-- outside a transaction\n";

/** Beside this file, and beside what is built of it. */
export const FOLDER = fileURLToPath(new URL("./migrations/", import.meta.url));

/** Reads the files of a folder. */
const readMigrations = (folder: string): Migration[] =>
  readdirSync(folder)
    .sort()
    .map((file) => {
      const text = readFileSync(join(folder, file), "utf8");
      const isApart = text.startsWith(APART);
      const statements = isApart
        ? text
            .slice(APART.length)
            .trim()
            .split(/\n\s*\n/)
        : [text];
      return { name: `${basename(file, ".sql")}-${digest(text).slice(0, 8)}`, statements, isApart };
    });

/** What this build knows, oldest first. */
export const MIGRATIONS: readonly Migration[] = readMigrations(FOLDER);

/** What stands in front of a command. */
export const SERVICE = "tracklet-service";
/** The command that changes the tables apart from a start. */
export const MIGRATE = `${SERVICE} migrate`;

const numberOf = (name: string): number => Number(/^(\d{4})-/.exec(name)?.[1] ?? 0);

/** Does it come after all that a build knows? */
export const isNewer = (name: string, known = MIGRATIONS): boolean => numberOf(name) > numberOf(known.at(-1)!.name);

/** Does a build that knows others run on tables that this one, which it does not know, has made? */
export const runsOn = (name: string, known = MIGRATIONS): boolean => {
  const from = Number(/^\d{4}-from-(\d{4})-/.exec(name)?.[1] ?? Number.POSITIVE_INFINITY);
  return isNewer(name, known) && from <= numberOf(known.at(-1)!.name);
};
