import { Gauge, type Registry } from "prom-client";
import { freeBytes } from "../database/embedded/room.js";
import type { Behind } from "../numbers/sums/behind.js";
import type { Upkeep } from "./upkeep.js";

/** What is as it is when somebody asks, besides what is counted. */
interface Gauged {
  name: string;
  help: string;
  labels?: readonly string[];
  /** Of several processes that tell it. Default: the sum */
  aggregator?: "min" | "max";
  /** Gives values by their labels; no value where it is not known. */
  read(): readonly Value[] | Promise<readonly Value[]>;
}
type Value = [labels: Record<string, string>, value: number | undefined];

export const addGauges = (registry: Registry, gauges: readonly Gauged[]): void => {
  for (const { name, help, labels = [], aggregator = "sum", read } of gauges)
    new Gauge({
      ...{ name: `tracklet_${name}`, help, labelNames: labels, aggregator, registers: [registry] },
      async collect() {
        // Where the database is away, nothing is known of it.
        const told = await (async () => read())().catch(() => []);
        this.reset();
        // Without a label it would be 0.
        if (labels.length === 0) this.remove();
        for (const [of, value] of told) if (value !== undefined) this.set(of, value);
      },
    });
};

/** Who tells what of the database. */
export interface State {
  /** The data folder of a PostgreSQL of its own, whose disk is looked at. */
  folder: string | undefined;
  sums: Behind;
  retention: Behind;
  upkeep(): Promise<Upkeep>;
}

export const addState = (registry: Registry, { folder, sums, retention, upkeep }: State): void => {
  let asked: Promise<Upkeep> | undefined;
  /** All of them are asked for at once. */
  const kept = (read: (upkeep: Upkeep) => Value[]) => () => {
    asked ??= upkeep().finally(() => {
      asked = undefined;
    });
    return asked.then(read);
  };
  const ofWorkspaces = (told: Awaited<ReturnType<Behind>>) =>
    told.map(({ workspace, seconds }): Value => [{ workspace }, seconds]);
  // All processes read the same.
  const shared = { aggregator: "max" } as const;
  const byWorkspace = { ...shared, labels: ["workspace"] };
  addGauges(registry, [
    {
      name: "disk_free_bytes",
      help: "Bytes that are free on the disk of the data folder; of a given PostgreSQL it is not known",
      labels: ["folder"],
      read: () => (folder === undefined ? [] : [[{ folder }, freeBytes(folder)]]),
    },
    {
      ...byWorkspace,
      name: "sums_behind_seconds",
      help: "Time by which the sums are behind the events that are settled, by workspace",
      read: async () => ofWorkspaces(await sums()),
    },
    {
      ...byWorkspace,
      name: "retention_behind_seconds",
      help: "Time by which the oldest event is older than TRACKLET_RETENTION_DAYS, by workspace",
      read: async () => ofWorkspaces(await retention()),
    },
    {
      ...byWorkspace,
      name: "archive_age_seconds",
      help: "Time since the last run of an archive ended, by workspace",
      read: kept(({ archives }) => ofWorkspaces(archives)),
    },
    {
      ...shared,
      name: "database_age_seconds",
      help: "Time since the database was made; what is restored or moved has the age that it had",
      read: kept(({ database }) => [[{}, database]]),
    },
    {
      ...shared,
      name: "backup_age_seconds",
      help: "Time since the last backup ended, or the first one was asked for; absent where none was ever asked for",
      read: kept(({ backup }) => [[{}, backup]]),
    },
    {
      ...shared,
      name: "backup_dropped_dumps",
      help: "Dumps that the last backup deleted before their time: dumps take half of what is free at most",
      read: kept(({ dropped }) => [[{}, dropped]]),
    },
    {
      ...shared,
      name: "backup_anew_age_seconds",
      help: "Time since a backup found no dump of those before in its folder, as where its disk is not mounted; absent where none did",
      read: kept(({ anew }) => [[{}, anew]]),
    },
    {
      ...shared,
      name: "clock_put_right_age_seconds",
      help: "Time since a clock of the database was found to have been ahead and put right; absent where none was",
      read: kept(({ clock }) => [[{}, clock]]),
    },
  ]);
};
