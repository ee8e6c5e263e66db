import { Option } from "commander";
import { PROOF_MEMBER } from "../ingest/identity-proof.js";
import { type Exported, type ExportOptions, exportRows } from "../records/read-rows.js";
import type { Commands } from "./context.js";

/** Names and members are strangers' text: beyond these no new one is listed, and the plan says how many events it left out. */
const [MAX_NAMES, MAX_MEMBERS, MAX_LENGTH] = [500, 100, 100];
/** What the script adds itself, and what `track` takes with every event. */
const STAMP = ["event_id", "occurred_at", "event_source", "event_seq", PROOF_MEMBER];
const COMMON = ["account_uid", "display_name"];

type Kind = "string" | "number" | "boolean" | "null" | "array" | "object";

interface Planned {
  name: string;
  events: number;
  /** When the first one was received, in epoch milliseconds. */
  since: number;
  members: Map<string, { events: number; kinds: Set<Kind> }>;
}

interface Plan {
  planned: Planned[];
  /** Events whose names are not listed. */
  leftOut: number;
}

/** Reads so many events, and remembers names, members and kinds alone. */
export const planOf = async (rows: AsyncIterable<Exported>, most = Number.POSITIVE_INFINITY): Promise<Plan> => {
  let left = most;
  const found = new Map<string, Planned>();
  let leftOut = 0;
  for await (const row of rows) {
    const name = String(row.event_uid);
    const isListed = found.has(name) || (found.size < MAX_NAMES && name.length <= MAX_LENGTH);
    if (!isListed) leftOut++;
    else {
      const one = found.get(name) ?? { name, events: 0, since: Number(row.received_at), members: new Map() };
      found.set(name, one);
      one.events++;
      one.since = Math.min(one.since, Number(row.received_at));
      for (const [member, value] of Object.entries(JSON.parse((row.params as { json: string }).json)))
        addMember(one, member, value);
    }
    left -= 1;
    if (left === 0) break;
  }
  return { planned: [...found.values()].sort((one, other) => other.events - one.events), leftOut };
};

const addMember = ({ members }: Planned, name: string, value: unknown): void => {
  if (STAMP.includes(name) || name.length > MAX_LENGTH || (!members.has(name) && members.size >= MAX_MEMBERS)) return;
  const member = members.get(name) ?? { events: 0, kinds: new Set() };
  members.set(name, member);
  member.events++;
  member.kinds.add(value === null ? "null" : Array.isArray(value) ? "array" : (typeof value as Kind));
};

/** Members with their types, as JSON Schema names them, and how often they came: for an assistant, too. */
export const toMembers = (members: Planned["members"]) =>
  Object.fromEntries(
    [...members].map(([name, { events, kinds }]) => [
      name,
      { type: kinds.size === 1 ? [...kinds][0] : [...kinds].sort(), description: `in ${events} events` },
    ]),
  );

const tell = ({ events, since }: Planned): string =>
  `${events} events since ${new Date(since).toISOString().slice(0, 10)}`;

/** As JSON Schema: an object whose members are the names of events. */
const toSchema = (planned: readonly Planned[]): string => {
  const properties = planned.map((one) => {
    const required = [...one.members].filter(([, { events }]) => events === one.events).map(([name]) => name);
    const members = { properties: toMembers(one.members), required };
    return [one.name, { type: "object", description: tell(one), ...members }];
  });
  const $schema = "https://json-schema.org/draft/2020-12/schema";
  return `${JSON.stringify({ $schema, properties: Object.fromEntries(properties) }, undefined, 2)}\n`;
};

const TYPES: Record<Kind, string> = {
  string: "string",
  number: "number",
  boolean: "boolean",
  null: "null",
  array: "readonly unknown[]",
  object: "Record<string, unknown>",
};

/** As declarations for an app (docs/install.md): its calls of `track` are then checked against what came. */
const toTypes = (planned: readonly Planned[]): string => {
  // Page views are the script's own.
  const events = planned
    .filter(({ name }) => name !== "pageview")
    .map((one) => {
      const members = [...one.members]
        .filter(([name]) => !COMMON.includes(name))
        .map(([name, { events, kinds }]) => {
          const type = [...kinds]
            .sort()
            .map((kind) => TYPES[kind])
            .join(" | ");
          return `      ${JSON.stringify(name)}${events < one.events ? "?" : ""}: ${type};\n`;
        });
      const params = members.length > 0 ? `{\n${members.join("")}    }` : "undefined";
      return `    /** ${tell(one)}. */\n    ${JSON.stringify(one.name)}: ${params};\n`;
    });
  return `import "tracklet";\n\ndeclare module "tracklet" {\n  interface Events {\n${events.join("")}  }\n}\n`;
};

/** The command that writes what an app's events look like, from what came. */
export const addPlanCommand = ({ program, workspace, since, until, read, say, write }: Commands): void => {
  program
    .command("plan")
    .description("writes the names of events that came, with their members, types, how often and since when")
    .addOption(
      new Option("--as <form>", "TypeScript for an app, or JSON Schema").choices(["types", "schema"]).default("types"),
    )
    .addOption(since("events received from then on, as 2026-01-31; UTC unless a zone is named"))
    .addOption(until("events received before"))
    .addOption(workspace())
    .action(({ as, ...which }: Omit<ExportOptions, "table"> & { as: "types" | "schema" }) =>
      read(async (query) => {
        const { planned, leftOut } = await planOf(exportRows(query, { table: "events", ...which }));
        if (leftOut > 0)
          say(`${leftOut} events are left out: over ${MAX_NAMES} names, or of over ${MAX_LENGTH} characters`);
        write([as === "schema" ? toSchema(planned) : toTypes(planned)]);
        say(`${planned.length} names`);
      }),
    );
};
