import { readdirSync, readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { parse } from "libpg-query";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { dataFolder } from "../../../../test/support/data-folder.js";
import { runCommand } from "../../commands/cli.js";
import { followEvents } from "../../commands/follow.js";
import { readConfig } from "../../config/read-config.js";
import type { Database, Query } from "../../database/database.js";
import { idAt } from "../../database/event-id.js";
import { recordId } from "../../database/exact-text.js";
import { openDatabase, openForReading } from "../../database/open-database.js";
import { renew, staleHours } from "../../numbers/stale.js";
import { step } from "../../numbers/step.js";
import { AT_ONCE } from "../support/bounds.js";
import { startService } from "../support/running-service.js";

/** Every statement that reached the database, and that database. */
const seen = vi.hoisted(() => ({ statements: new Set<string>(), database: undefined as unknown }));

/** What begins and ends a transaction is each driver's own. */
const TRANSACTION = /^(BEGIN|COMMIT|ROLLBACK)$/;

// The real thread; what passes is written down.
vi.mock("../../database/pglite/pglite-thread.js", async (importOriginal) => {
  const original = await importOriginal<typeof import("../../database/pglite/pglite-thread.js")>();
  const startThread: typeof original.startThread = async (folder) => {
    const thread = await original.startThread(folder);
    const run: typeof thread.run = (statements, ...limits) => {
      for (const { text } of statements ?? []) if (!TRANSACTION.test(text)) seen.statements.add(text);
      return thread.run(statements, ...limits);
    };
    const query: Query = async <Row>(text: string, values: unknown[] = []) =>
      (await thread.run([{ text, values }], 60_000)) as Row[];
    seen.database = { query };
    return { ...thread, run };
  };
  return { ...original, startThread };
});

/** Calls all that the service and its command line do with a database. */
const useEverything = async (): Promise<void> => {
  const folder = await dataFolder();
  const service = await startService({
    dataFolder: folder,
    adminToken: "admin",
    bounds: AT_ONCE,
    retentionDays: 1,
    deadLetters: 1,
  });
  for (const [method, path] of [
    ["PUT", "/v2/contacts?uid=contact-001"],
    ["POST", "/v2/contacts/anonymise?uid=contact-003"],
    ["DELETE", "/v2/contacts?uid=contact-005"],
    ["DELETE", "/v2/contacts?uid=contact-005"],
    ["GET", "/v2/contacts/data?uid=contact-001"],
  ] as const) {
    await service.post({ contact_uid: path.slice(-11), event_uid: "seen" });
    const isSent = method === "POST" || method === "PUT";
    const body = isSent ? { body: method === "PUT" ? '{"archived":false}' : "{}" } : {};
    const headers = { authorization: "Bearer admin", ...(isSent && { "content-type": "application/json" }) };
    const answer = await fetch(service.url + path, { method, headers, ...body });
    expect([path, answer.status, await answer.text()]).toEqual([path, 200, expect.any(String)]);
  }
  await service.post('{"contact_uid":"new"');
  await service.post({ contact_uid: "new", event_uid: "used", params: { event_id: "1", account_uid: "acme" } });
  const after = "00000000-0000-0000-0000-000000000000";
  // An account with more contacts than an answer holds.
  await (seen.database as Database).query(
    "INSERT INTO account_contacts SELECT $1::uuid, gen_random_uuid() FROM generate_series(1, 1000)",
    [recordId("account", "account-01")],
  );
  for (const order of ["asc", "desc"]) {
    for (const filter of ["", "&contact_uid=new", "&event_uid=used", "&contact_uid=new&event_uid=used"])
      for (const from of ["", `&after=${after}`]) await service.get(`/demo/events?order=${order}${filter}${from}`);
    await service.get(`/v2/users?order=${order}`);
  }
  for (const query of ["", `after=${after}`, "since=0&until=1&account_uid=acme&event_uid=used"])
    await service.get(`/v2/events?${query}`);
  for (const path of ["/v2/contacts?uid=new", "/v2/contacts?uid=contact-001", "/v2/accounts?uid=account-01", "/readyz"])
    await service.get(path);
  await service.get("/demo/contacts");
  for (const span of ["24h", "7d"]) await service.get(`/v2/numbers?span=${span}&time_zone=Asia/Kathmandu`);
  // A contact whose record is gone, and who is known by the events alone.
  await (seen.database as Database).query("DELETE FROM contacts WHERE unique_id = 'new'");
  await service.get("/v2/contacts?uid=new");
  const rows = await (seen.database as Database).query("SELECT 1 FROM events");
  expect(rows).toHaveLength(4);
  // One that is too old.
  await (seen.database as Database).query(
    `INSERT INTO events (contact_id, id, workspace, contact_uid, event_uid, received_at, params)
     VALUES ($1, $1, 'default', 'old', 'old', 1, '{}')`,
    ["00000000-0000-7000-8000-000000000001"],
  );
  const config = { ...readConfig({}), dataFolder: folder };
  const silent = () => ({ stdout: new PassThrough().resume(), stderr: new PassThrough().resume(), bounds: AT_ONCE });
  for (const command of [["sql", "SELECT 1"], ["loss"], ["audit"], ["check", "--expect", "seen:1h", "*:1h"]])
    await runCommand(command, config, silent());
  await service.close();
  const [accounts, users, events] = ["accounts", "users", "events"].map((name) => join(folder, `${name}.ndjson`)) as [
    string,
    string,
    string,
  ];
  await writeFile(events, `{"id":"${after}","received_at":1,"contact_uid":"a","event_uid":"b","params":{}}`);
  await writeFile(accounts, '{"unique_id":"a"}');
  await writeFile(users, '{"email":"a@b","name":"a","role":"admin"}');
  for (const command of [
    ["import", accounts],
    ["import", users],
    ["import", events],
    ["sql", "SELECT 1"],
    ["send-dead-letters", "--may-repeat"],
    ["workspace", "create", "gone"],
    ["workspace", "copy", "default", "gone"],
    ["token", "create", "site", "--kind", "api", "--workspace", "gone"],
    ["token", "rotate", "site", "--workspace", "gone"],
    ["token", "revoke", "site", "--workspace", "gone"],
    ["workspace", "delete", "gone"],
    ["retention", "--confirm"],
    ["export", "--since", "2026-01-01", "--until", "2126-01-01"],
    ["export", "contacts"],
    ["export", "accounts"],
    ["export", "users"],
    ["delete-contact", "new", "--everywhere"],
    ["delete-contact", "contact-002"],
    ["anonymise-contact", "contact-004", "--keep", "plan"],
    ["delete-events", "--older-than", "1"],
    ["delete-events", "--name", "none"],
    ["delete-events", "--name", "none", "--since", "2026-01-31", "--yes"],
  ])
    await runCommand(command, config, silent());
  await followSums(folder);
  const reading = await openForReading(config);
  const [ending, outlet] = [new AbortController(), silent()];
  const say = () => ending.abort();
  await followEvents(reading.query, { workspace: "default" }, { ...outlet, say, signal: ending.signal });
  await reading.close();
  await rm(folder, { recursive: true });
};

/** What the follower of the sums does: two steps, the second past the end of an hour, and an hour counted anew. */
const followSums = async (dataFolder: string): Promise<void> => {
  const database = await openDatabase({ dataFolder, databaseUrl: undefined });
  await database.query(
    `INSERT INTO events (contact_id, id, workspace, contact_uid, event_uid, received_at, params)
     SELECT id, id, 'default', 'old', 'old', 1, '{}' FROM unnest($1::uuid[]) AS new (id)`,
    [[idAt(1), idAt(86_400_000)]],
  );
  // The service has followed already.
  await database.query("DELETE FROM sums_followed WHERE workspace = 'default'");
  for (const settled of [2, 90_000_000]) await step(database, "default", idAt(settled));
  for (const hour of await staleHours(database.query, "default")) await renew(database, "default", hour);
  await database.close();
};

interface Tree {
  [name: string]: unknown;
}

/** All nodes of a syntax tree, with the kind of each. */
function* nodes(value: unknown): Generator<{ kind: string; node: Tree }> {
  if (Array.isArray(value)) for (const one of value) yield* nodes(one);
  else if (typeof value === "object" && value !== null)
    for (const [kind, node] of Object.entries(value)) {
      if (/^[A-Z]/.test(kind)) yield { kind, node: node as Tree };
      yield* nodes(node);
    }
}

const names = (list: unknown): string[] =>
  (list as { String: { sval: string } }[]).map(({ String: { sval } }) => sval).filter((name) => name !== "pg_catalog");

/**
 * Kinds of syntax nodes that PostgreSQL and Citus have in common, as far as the service needs them. What is not here is refused, and with it triggers, functions, sequences, LISTEN and NOTIFY, advisory locks,
 * partitions, foreign keys, cursors, LATERAL, and statements that change data within WITH.
 */
const SHARED = new Set([
  ...["SelectStmt", "InsertStmt", "UpdateStmt", "DeleteStmt", "CreateStmt", "IndexStmt", "DropStmt", "RenameStmt"],
  ...["AlterTableStmt", "AlterTableCmd", "ColumnDef", "Constraint", "IndexElem", "TypeName", "TypeCast"],
  ...["RangeVar", "RangeSubselect", "RangeFunction", "JoinExpr", "ResTarget", "ColumnRef", "A_Star", "Alias", "List"],
  ...["A_Expr", "BoolExpr", "RowExpr", "NullTest", "A_Const", "ParamRef", "FuncCall", "SortBy", "WindowDef", "String"],
  ...[
    "Integer",
    "Float",
    "SubLink",
    "VariableSetStmt",
    "DefElem",
    "CoalesceExpr",
    "MinMaxExpr",
    "CaseExpr",
    "CaseWhen",
  ],
]);
const FUNCTIONS = new Set([
  ...[
    "count",
    "floor",
    "left",
    "lower",
    "max",
    "min",
    "octet_length",
    "row_number",
    "row_to_json",
    "strpos",
    "substring",
    "sum",
  ],
  ...["unnest", "clock_timestamp", "to_timestamp", "extract", "current_database", "to_regclass", "to_regproc"],
  "pg_is_in_recovery",
  ...["bit_or", "convert_to", "dense_rank", "encode", "replace", "sha256", "timezone", "width_bucket"],
]);
const TYPES = new Set(["text", "int4", "int8", "bool", "uuid", "date", "bit"]);
const CONSTRAINTS = new Set(["CONSTR_PRIMARY", "CONSTR_NOTNULL", "CONSTR_DEFAULT"]);
/** Columns of one database alone, or of rows as they lie on its disk. */
const SYSTEM_COLUMNS = /^(ctid|xmin|xmax|cmin|cmax|tableoid|oid)$/;

describe("each SQL statement of the service", () => {
  const trees = new Map<string, { kind: string; node: Tree }[]>();
  beforeAll(async () => {
    await useEverything();
    for (const statement of seen.statements) trees.set(statement, [...nodes(await parse(statement))]);
  });

  /** Names, with their statement, that are none of those allowed. */
  const others = (kind: string, allowed: Set<string>, read: (node: Tree) => string | undefined): string[] =>
    [...trees].flatMap(([statement, all]) =>
      all
        .filter((one) => one.kind === kind)
        .map(({ node }) => read(node))
        .filter((name) => name !== undefined && !allowed.has(name))
        .map((name) => `${name} in: ${statement}`),
    );

  it("is looked at here", () => {
    // Every text in the sources that looks like a statement was seen, whatever stands for `${…}`.
    const root = fileURLToPath(new URL("../../", import.meta.url));
    const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
      (file) => file.endsWith(".ts") && !file.startsWith("test"),
    );
    const texts = files.flatMap((file) =>
      [
        ...readFileSync(join(root, file), "utf8").matchAll(
          /(["`])((?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|WITH)\s[^"`]*)\1/g,
        ),
      ].map(([, , text]) => ({ file, text: text! })),
    );
    expect(texts.length).toBeGreaterThan(40);
    const unseen = texts.filter(({ text }) => {
      const parts = text
        .split(/\$\{(?:[^{}]|\{[^{}]*\})*\}/)
        .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
      const pattern = new RegExp(`^${parts.join("[^]*")}$`);
      return ![...trees.keys()].some((statement) => pattern.test(statement));
    });
    // Of Citus alone: settled.test.ts.
    expect(unseen.filter(({ text }) => !text.includes("run_command_on_all_nodes"))).toEqual([]);
  });

  it("is made of what both databases have in common", () => {
    const strange = [...trees].flatMap(([statement, all]) =>
      all.filter(({ kind }) => !SHARED.has(kind)).map(({ kind }) => `${kind} in: ${statement}`),
    );
    expect(strange).toEqual([]);
  });

  it("calls no function and uses no type and no constraint but theirs", () => {
    expect(others("FuncCall", FUNCTIONS, ({ funcname }) => names(funcname).join("."))).toEqual([]);
    expect(others("TypeName", TYPES, ({ names: list }) => names(list).join("."))).toEqual([]);
    expect(others("Constraint", CONSTRAINTS, ({ contype }) => String(contype))).toEqual([]);
  });

  it("names no column of the system", () => {
    const system = [...trees].flatMap(([statement, all]) =>
      all
        .filter(({ kind, node }) => kind === "ColumnRef" && JSON.stringify(node).match(/"sval":"([^"]*)"/g))
        .flatMap(({ node }) => [...JSON.stringify(node).matchAll(/"sval":"([^"]*)"/g)].map(([, name]) => name!))
        .filter((name) => SYSTEM_COLUMNS.test(name))
        .map((name) => `${name} in: ${statement}`),
    );
    expect(system).toEqual([]);
  });

  it("keeps the keys of events led by the contact, so that they can be spread by it", () => {
    const keys: string[][] = [];
    for (const all of trees.values())
      for (const { kind, node } of all) {
        const table = (node.relation as { relname?: string } | undefined)?.relname;
        if (kind === "CreateStmt" && table === "events")
          for (const { kind: inner, node: constraint } of nodes(node.tableElts))
            if (inner === "Constraint" && constraint.contype === "CONSTR_PRIMARY") keys.push(names(constraint.keys));
        if (kind === "IndexStmt" && table === "events" && node.unique === true)
          keys.push((node.indexParams as { IndexElem: { name: string } }[]).map(({ IndexElem }) => IndexElem.name));
      }
    expect(keys).toEqual([
      ["contact_id", "id"],
      ["contact_id", "stamp"],
      ["contact_id", "origin_id"],
    ]);
  });

  it("changes no row that every event changes", () => {
    // A counter would be one: UPDATE, or an upsert, of a row whose key is the same for all.
    const updated = [...trees].flatMap(([statement, all]) =>
      all
        .filter(
          ({ kind, node }) =>
            kind === "UpdateStmt" || (node.onConflictClause as Tree | undefined)?.action === "ONCONFLICT_UPDATE",
        )
        .map(() => statement),
    );
    const others = updated.map((statement) => statement.split(" (")[0]!);
    // A command changes records, and the follower of the sums is alone.
    const rare =
      /^(INSERT INTO (accounts|contacts|users|service_state|tombstones|sums|active_\w+)$|UPDATE (tokens|audit|sums_followed|active_\w+) )/;
    expect(others.filter((statement) => !rare.test(statement))).toEqual([]);
  });
});
