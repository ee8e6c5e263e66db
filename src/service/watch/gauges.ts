import { Gauge, type Registry } from "prom-client";
import { freeBytes } from "../database/embedded/room.js";
import type { Behind } from "../numbers/sums/behind.js";
import { createEventAges } from "./ages.js";
import type { Upkeep } from "./upkeep.js";

export interface Gauged {
  /** Names of events whose age is told. */
  watched: readonly string[];
  /** The data folder of a PostgreSQL of its own, whose disk is looked at. */
  folder: string | undefined;
  /** Is called for each name of an event that was not seen before. */
  newName(): void;
}

/** What is as it is when somebody asks, besides what is counted. */
export const createGauges = (registry: Registry, { watched, folder, newName }: Gauged) => {
  const registers = [registry];
  let waiting = 0;
  new Gauge({
    name: "tracklet_events_waiting",
    help: "Events that were received and are not committed yet",
    registers,
    collect() {
      this.set(waiting);
    },
  });
  const ages = createEventAges(watched, newName);
  new Gauge({
    name: "tracklet_event_age_seconds",
    help: "Time since an event was stored, by workspace; event_uid is empty, or one of TRACKLET_WATCHED_EVENTS",
    labelNames: ["workspace", "event_uid"] as const,
    registers,
    aggregator: "min",
    collect() {
      this.reset();
      for (const { seconds, ...labels } of ages.list()) this.set(labels, seconds);
    },
  });
  /** By workspace, in seconds. @returns what takes who tells it */
  const behindGauge = (name: string, help: string) => {
    let behind: Behind = async () => [];
    new Gauge({
      ...{ name, help, registers },
      labelNames: ["workspace"] as const,
      // All processes read the same.
      aggregator: "max",
      async collect() {
        // Where the database is away, nothing is known of it.
        const told = await behind().catch(() => []);
        this.reset();
        for (const { seconds, workspace } of told) this.set({ workspace }, seconds);
      },
    });
    return (tell: Behind): void => {
      behind = tell;
    };
  };
  new Gauge({
    name: "tracklet_disk_free_bytes",
    help: "Bytes that are free on the disk of the data folder; of a given PostgreSQL it is not known",
    // Without a label a gauge that nobody sets is 0.
    labelNames: ["folder"] as const,
    registers,
    collect() {
      if (folder !== undefined) this.set({ folder }, freeBytes(folder));
    },
  });
  let upkeep: () => Promise<Upkeep | undefined> = async () => undefined;
  /** @param read gives nothing where it is not known, and nothing is told then */
  const upkeepGauge = (name: string, help: string, read: (upkeep: Upkeep) => [labels: object, value?: number][]) => {
    new Gauge({
      ...{ name: `tracklet_${name}`, help, registers },
      labelNames: name.startsWith("archive") ? ["workspace"] : [],
      aggregator: "max",
      async collect() {
        const told = await upkeep().catch(() => undefined);
        this.reset();
        // Without a label it would be 0.
        if (!name.startsWith("archive")) this.remove();
        for (const [labels, value] of told === undefined ? [] : read(told))
          if (value !== undefined) this.set(labels, value);
      },
    });
  };
  upkeepGauge(
    "database_age_seconds",
    "Time since the database was made; what is restored or moved has the age that it had",
    ({ database }) => [[{}, database]],
  );
  upkeepGauge(
    "backup_age_seconds",
    "Time since the last backup ended, or the first one was asked for; absent where none was ever asked for",
    ({ backup }) => [[{}, backup]],
  );
  upkeepGauge(
    "backup_dropped_dumps",
    "Dumps that the last backup deleted before their time: dumps take half of what is free at most",
    ({ dropped }) => [[{}, dropped]],
  );
  upkeepGauge("archive_age_seconds", "Time since the last run of an archive ended, by workspace", ({ archives }) =>
    archives.map(({ workspace, seconds }) => [{ workspace }, seconds]),
  );
  return {
    /** To be told who tells what was done when. */
    watchUpkeep: (read: () => Promise<Upkeep>): void => {
      let reading: Promise<Upkeep> | undefined;
      upkeep = () => {
        // All of them are asked for at once.
        reading ??= read().finally(() => {
          reading = undefined;
        });
        return reading;
      };
    },
    ages,
    /** To be called with the change of how many events wait. */
    wait: (change: number): void => {
      waiting += change;
    },
    /** To be told who tells how far the sums are behind. */
    watchSums: behindGauge(
      "tracklet_sums_behind_seconds",
      "Time by which the sums are behind the events that are settled, by workspace",
    ),
    /** The same of retention. */
    watchRetention: behindGauge(
      "tracklet_retention_behind_seconds",
      "Time by which the oldest event is older than TRACKLET_RETENTION_DAYS, by workspace",
    ),
  };
};
