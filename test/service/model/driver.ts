import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Ajv2020 } from "ajv/dist/2020.js";
import pg from "pg";
import { waitFor } from "../../support/wait.js";
import { everyRow, makeClock, type Place, runAt, setBack, withQuery } from "../support/database.js";
import { basic } from "../support/service.js";
import type { TokenKind } from "./state.js";

/** What was answered; without a status where nothing was. */
export interface Answer {
  status: number | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: the form of each answer was looked at
  body: any;
}
export interface Asked {
  token?: string;
  /** A token as the user of HTTP Basic. */
  basic?: string;
  body?: unknown;
}
/** What a command said; `failed` with its line where it has. */
export interface Said {
  out: string;
  err: string;
  failed?: string;
}

/** What a command said, which is not to fail. */
export const must = async (saying: Promise<Said>): Promise<Said> => {
  const said = await saying;
  if (said.failed !== undefined) throw new Error(`a command failed: ${said.failed}`);
  return said;
};

/** Tokens of the workspace that the environment names. */
export const OWN: Record<TokenKind, string> = {
  api: "model-api-token-00",
  server: "model-server-token",
  access: "model-access-token",
  admin: "model-admin-token-0",
};

export const FAULTS = ["kill", "terminate", "killServer", "killConnection", "fullDisk"] as const;
/** The end of the service, or of a command, after one of its operations is asked for by number. */
export type Fault = (typeof FAULTS)[number] | "crash" | "breakOff";
/** What is left out here, with the reason. */
export type Cannot = Partial<Record<string, string>>;

/** A service that runs. */
export interface Running {
  url: string;
  pid?: number;
  hasEnded(): boolean;
  /** Is it to be killed at an operation? */
  isToEnd?: boolean;
  stop(signal: NodeJS.Signals): Promise<unknown>;
}
/** How services and commands run, and where databases come from. */
export interface House {
  /** @param more of its environment, where it is a process */
  start(databaseUrl: string, more?: Record<string, string>): Promise<Running>;
  command(databaseUrl: string, args: string[]): Promise<Said>;
  /** An empty database, or one with tables and with a clock that can be set. */
  create(isEmpty: boolean): Promise<string>;
  drop(databaseUrl: string): Promise<unknown>;
  /** How long to wait for what follows in a moment, on a busy machine. */
  patience: number;
}

const placeOf = (databaseUrl: string): Place => ({ databaseUrl, dataFolder: "" });

/** Databases of a server; what is not to be empty is a copy of one that a service has made. */
export const databasesOf = async (
  serverUrl: string,
  start: House["start"],
): Promise<Pick<House, "create" | "drop">> => {
  const urlOf = (name: string): string => serverUrl.replace(/postgres$/, name);
  let made = 0;
  await runAt(serverUrl, "CREATE DATABASE made");
  await (await start(urlOf("made"))).stop("SIGTERM");
  await withQuery(placeOf(urlOf("made")), makeClock);
  return {
    create: async (isEmpty) => {
      const name = `history_${++made}`;
      await runAt(serverUrl, `CREATE DATABASE ${name} TEMPLATE ${isEmpty ? "template0" : "made"} STRATEGY file_copy`);
      if (!isEmpty) await runAt(serverUrl, `ALTER DATABASE ${name} SET search_path = skewed, pg_catalog, public`);
      return urlOf(name);
    },
    drop: (url) => runAt(serverUrl, `DROP DATABASE IF EXISTS ${new URL(url).pathname.slice(1)} WITH (FORCE)`),
  };
};

/** What steps and properties may do with a service, however it runs. */
export const openDriver = async (house: House) => {
  const folder = mkdtempSync(join(tmpdir(), "tracklet-model-"));
  const locks: Promise<unknown>[] = [];
  let url = await house.create(false);
  let turn = 0;
  /** An empty one into which a command was broken off. */
  let next: string | undefined;
  const services: Running[] = [];
  const start = async (more?: Record<string, string>): Promise<void> => {
    await soon(house.patience, async () => void services.push(await house.start(url, more)));
    described ??= (await (await fetch(`${services[0]!.url}/openapi.json`)).json()) as NonNullable<typeof described>;
  };
  /** What a process that was killed has sent may be committed still: it has ended once its connections are gone. */
  const end = async (signal: NodeJS.Signals = "SIGTERM"): Promise<void> => {
    await Promise.all(services.splice(0).map((service) => service.stop(signal)));
    await Promise.all(locks.splice(0));
    const others = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`;
    const haveEnded = async () => (await runAt(url, others).catch(() => [])).length === 0;
    await waitFor(haveEnded, { what: "all connections to end", timeoutMs: house.patience });
  };
  const driver = {
    folder,
    /** Gets a line for each operation of what is to be killed after one. */
    points: join(folder, "points"),
    patience: house.patience,
    url: () => url,
    services: () => services,
    start,
    end,
    ask: async (method: string, path: string, asked?: Asked): Promise<Answer> => {
      const service = services[turn++ % services.length];
      return service === undefined ? { status: undefined, body: undefined } : askAt(service.url, method, path, asked);
    },
    command: (...args: string[]): Promise<Said> => house.command(url, args),
    /** Ends the service, as an operator does, and starts it again. */
    restart: () => end().then(() => start()),
    /** Starts another process of the service; from then on they are asked in turn. */
    second: async () => (services.length < 2 ? start() : undefined),
    /** What the database's clock shows beside the right time. */
    setClock: (ahead: number) => withQuery(placeOf(url), (query) => setBack(query, -ahead)),
    /** Ends the service, lets `fill` a new empty database, and goes on with that one. */
    moveOn: async (fill: (next: string) => Promise<Said>): Promise<Said> => {
      await end();
      const wasBegun = next !== undefined;
      next ??= await house.create(true);
      const said = await fill(next);
      // One that was whole when it was broken off is refused.
      const isWhole = said.failed === undefined || (wasBegun && /must be empty|moved/.test(said.failed));
      if (isWhole) {
        await house.drop(url);
        [url, next] = [next, undefined];
        await withQuery(placeOf(url), makeClock);
      }
      await start();
      return isWhole ? { out: said.out, err: said.err } : said;
    },
    /** Runs a command over another database. */
    commandAt: (at: string, ...args: string[]) => house.command(at, args),
    /** Locks the events for so many milliseconds, beside what comes next. */
    slow: async (milliseconds: number): Promise<void> => {
      const client = new pg.Client(url).on("error", () => {});
      await client.connect();
      await client.query("BEGIN; LOCK TABLE events IN SHARE MODE");
      const over = client.query("SELECT pg_sleep($1)", [milliseconds / 1_000]).then(() => client.query("COMMIT"));
      locks.push(over.catch(() => {}).finally(() => client.end().catch(() => {})));
    },
    /** Every row of every table as text, by the table's name. */
    everyRow: () => everyRow(placeOf(url)),
    /** Changes to the release that follows, or back. @param isAlone whether no process of the one before stays */
    changeRelease: undefined as ((isAlone: boolean) => Promise<unknown>) | undefined,
    /** Breaks something, where this driver can. */
    fault: undefined as ((kind: Fault, amount: number) => Promise<unknown>) | undefined,
    /** Ends all faults, and resolves when all is answered again. */
    heal: async (): Promise<void> => void (await Promise.all(locks.splice(0))),
    close: async (): Promise<void> => {
      await end();
      await house.drop(url);
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await start();
  return driver;
};
export type Driver = Awaited<ReturnType<typeof openDriver>>;

interface Content {
  schema: object;
  /** What checks it, once it was asked. */
  isRight?: ReturnType<Ajv2020["compile"]>;
}
type Operation = { responses: Record<string, { content?: Record<string, Content> }> };

const ajv = new Ajv2020({ strict: false, validateFormats: false });
/** What the interface is described by, which is the same of each service of a build. */
let described: { paths: Record<string, Record<string, Operation>>; components: object } | undefined;

/** @throws Error where an answer has not the form that the description has for it; pages, and what is not there, have none */
const requireForm = (method: string, path: string, { status, text }: { status: number; text: string }): void => {
  const [asked] = path.split("?") as [string];
  const isAsked = (one: string) => new RegExp(`^${one.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(asked);
  const operation = Object.entries(described?.paths ?? {}).find(([one]) => isAsked(one))?.[1][method.toLowerCase()];
  if (operation === undefined) return;
  const where = `${method} ${asked} answers ${status}`;
  const response = operation.responses[String(status)];
  if (response === undefined) throw new Error(`${where}, which its description does not have`);
  const [content] = Object.values(response.content ?? {});
  if (content === undefined) return;
  content.isRight ??= ajv.compile({ ...content.schema, components: described!.components });
  if (!content.isRight(JSON.parse(text)))
    throw new Error(`${where} in another form: ${ajv.errorsText(content.isRight.errors)}: ${text.slice(0, 300)}`);
};

const JSON_TYPE = { "content-type": "application/json" };
/** One request; its answer has the form that the description of the interface has. */
export const askAt = async (
  url: string,
  method: string,
  path: string,
  { token, basic: user, body }: Asked = {},
): Promise<Answer> => {
  const headers = { ...(token && { authorization: `Bearer ${token}` }), ...(user && basic(`${user}:`)) };
  const json = body !== undefined && { body: JSON.stringify(body), headers: { ...headers, ...JSON_TYPE } };
  const answer = await fetch(url + path, { method, headers, ...json, signal: AbortSignal.timeout(40_000) })
    .then(async (answer) => ({ status: answer.status, text: await answer.text() }))
    .catch(() => undefined);
  if (answer === undefined) return { status: undefined, body: undefined };
  requireForm(method, path, answer);
  return { status: answer.status, body: answer.text === "" ? undefined : JSON.parse(answer.text) };
};

/** Asks until it holds, as what follows in a moment; throws why it does not. */
export const soon = async (patience: number, holds: () => Promise<void>): Promise<void> => {
  for (let [end, wait] = [performance.now() + patience, 50]; ; wait = Math.min(500, 2 * wait)) {
    try {
      return await holds();
    } catch (error) {
      if (performance.now() > end) throw error;
      await pause(wait);
    }
  }
};
