import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { basic } from "../support/basic.js";
import { requireForm } from "./form.js";
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

/** What a command said; `failed` with its one line where it has. */
export interface Said {
  out: string;
  err: string;
  failed?: string;
}

/** Tokens of the workspace that the environment names. */
export const OWN: Record<TokenKind, string> = {
  ...{ api: "model-api-token-00", server: "model-server-token" },
  ...{ access: "model-access-token", admin: "model-admin-token-0" },
};

/** What a step and a property may do with a service, however it runs. */
export interface Driver {
  ask(method: string, path: string, asked?: Asked): Promise<Answer>;
  command(...args: string[]): Promise<Said>;
  /** Ends the service, as an operator does, and starts it again. */
  restart(): Promise<void>;
  /** Starts another process of the service; from then on they are asked in turn. */
  second(): Promise<void>;
  /** What the database's clock shows beside the right time. */
  setClock(ahead: number): Promise<void>;
  /** Ends the service, lets `fill` a new empty database by commands there, and goes on with that one. */
  moveOn(fill: (at: Pick<Driver, "command">, url: string) => Promise<Said>): Promise<Said>;
  /** Locks the events for so many milliseconds, beside what comes next. */
  slow(milliseconds: number): Promise<void>;
  /** Every row of every table as text, by the table's name. */
  everyRow(): Promise<Record<string, string>>;
  /** Breaks something, where this driver can. */
  fault?(kind: Fault, amount: number): Promise<void>;
  /** Ends all faults: resolves to the milliseconds until all was answered again. */
  heal(): Promise<number>;
  /** Of its database. */
  url(): string;
  /** Is called with the new database before the next `moveOn` fills it. */
  beforeFill?: ((url: string) => Promise<unknown>) | undefined;
  /** A folder for files. */
  folder: string;
  /** How long to wait for what follows in a moment. */
  patience: number;
  close(): Promise<void>;
}

/** What is left out here, with the reason. */
export type Cannot = Partial<Record<string, string>>;

export const FAULTS = ["kill", "terminate", "killServer", "killConnection", "fullDisk", "crash"] as const;
export type Fault = (typeof FAULTS)[number];

/** One request to a service; its answer has the form that the description of the interface has. */
export const askAt = async (
  url: string,
  method: string,
  path: string,
  { token, basic: user, body }: Asked = {},
): Promise<Answer> => {
  const answer = await fetch(url + path, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(user !== undefined && basic(`${user}:`)),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(40_000),
  }).then(
    async (response) => ({ status: response.status, text: await response.text() }),
    () => undefined,
  );
  if (answer === undefined) return { status: undefined, body: undefined };
  await requireForm(url, method, path, answer);
  return { status: answer.status, body: answer.text === "" ? undefined : JSON.parse(answer.text) };
};

export const newFolder = (): { folder: string; remove(): void } => {
  const folder = mkdtempSync(join(tmpdir(), "tracklet-model-"));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
};

/** Writes lines of JSON to a file of a driver, for `import`. */
export const linesIn = ({ folder }: Driver, name: string, lines: readonly object[]): string => {
  const file = join(folder, name);
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return file;
};

/** Asks until it holds, as what follows in a moment; throws why it does not. */
export const soon = async (patience: number, holds: () => Promise<void>): Promise<void> => {
  for (const end = performance.now() + patience; ; ) {
    try {
      return await holds();
    } catch (error) {
      if (performance.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
};
