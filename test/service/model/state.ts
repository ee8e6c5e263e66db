import { noonOf, timeOf } from "./figures.js";

/* What the model knows of the service: by what was sent and answered alone, no table. Times are epoch milliseconds. */

export const DAY = 86_400_000;
/** For so long may an event come that does not say when it occurred: of somebody who was erased since it is not taken. */
const LONGEST_WAIT = 30 * DAY;

/** When something happened: not before, not after. */
export interface Span {
  from: number;
  to: number;
}

/** Must it be there? `perhaps` where no answer has come, or where it is a matter of the same millisecond. */
export type Presence = "there" | "perhaps" | "gone";

/** An event as it was sent. Its mark is in its params, and in no other's. */
export interface Event {
  mark: string;
  contact: string;
  account?: string | undefined;
  name: string;
  url?: string | undefined;
  referrer?: string | undefined;
  /** When it says to have occurred, in the params. */
  occurred?: number | undefined;
  isStamped: boolean;
  /** When it was received: exact once it was read. */
  received: Span;
  /** Came with the time of its receipt. */
  isImported: boolean;
  presence: Presence;
  /** Was sent again when it had lost its stamp with its contact. */
  mayRepeat: boolean;
  /** Has another contact since, of chance; it is not known where that may have been broken off. */
  isAnonymous: boolean;
  mayBeAnonymous?: boolean;
  /** Is gone by its age alone: an archive keeps it. */
  isOld?: boolean;
}

export interface Person {
  data: object;
  archived: boolean;
  accounts: Set<string>;
  presence: Presence;
}

export interface Account {
  data: object;
  presence: Presence;
}

export type TokenKind = "api" | "server" | "access" | "admin";
export interface Token {
  kind: TokenKind;
  text: string;
  holds: boolean;
}

/** @param zone in which its days are told */
export const newWorkspace = (name: string, zone: string) => ({
  name,
  zone,
  /** The last day of which events are gone by retention. */
  past: undefined as string | undefined,
  exists: true,
  tokens: new Map<string, Token[]>(),
  people: new Map<string, Person>(),
  accounts: new Map<string, Account>(),
  events: new Map<string, Event>(),
  /** As `account:uid`, `contact:uid`. */
  leftOut: new Set<string>(),
  /** Marks of the events in the files of the archive, as of its last run. */
  archived: new Set<string>(),
  hasArchive: false,
});
export type Workspace = ReturnType<typeof newWorkspace>;

/** In front of all ids. */
const FIRST = "00000000-0000-7000-8000-000000000000";
/** Who reads on by a cursor. */
export const newFollower = ({ name }: Pick<Workspace, "name">) => ({
  workspace: name,
  place: FIRST,
  ids: new Set<string>(),
  /** Of what it has read. */
  marks: new Set<string>(),
  /** Has it read what a restore has lost? It is to be told. */
  isLost: false,
});
export type Follower = ReturnType<typeof newFollower>;

interface Erasure {
  workspace: string;
  contact: string;
  at: Span;
}

export interface State {
  workspaces: Map<string, Workspace>;
  followers: Follower[];
  /** Of all workspaces, in their order: what a list of erasures has. */
  erasures: Erasure[];
  /** Makes marks. */
  sent: number;
  /** What the database's clock shows beside the right time. */
  skew: number;
  /** Beside what is in this database: the state that each dump has, by its file, and the events of each file that was imported. */
  dumps: { file: string; state: State }[];
  /** How many archives have been begun: what a restore has lost lies in the one before. */
  archives: number;
  imports: { workspace: string; file: string; marks: string[] }[];
}

export const newState = (): State => ({
  workspaces: new Map(),
  followers: [],
  erasures: [],
  sent: 0,
  skew: 0,
  dumps: [],
  imports: [],
  archives: 0,
});

export const living = ({ workspaces }: State): Workspace[] => [...workspaces.values()].filter(({ exists }) => exists);
export const present = ({ events }: Workspace): Event[] =>
  [...events.values()].filter(({ presence }) => presence === "there");

/** When an event occurred, where what it says of that can be true. */
export const trueTime = ({ occurred, received: { from } }: Event): number | undefined =>
  occurred !== undefined && occurred >= from - LONGEST_WAIT && occurred <= from + DAY ? occurred : undefined;

/** Had an event occurred before an erasure of its contact, at any moment that both may have had? */
const isBefore = ({ occurred, received, isImported }: Event, at: Span): Presence => {
  const one = (receivedAt: number, erasedAt: number): boolean => {
    if (receivedAt < erasedAt) return true;
    const isPlausible = occurred !== undefined && occurred >= receivedAt - LONGEST_WAIT && occurred <= receivedAt + DAY;
    if (isPlausible) return occurred < erasedAt;
    return !isImported && receivedAt - erasedAt < LONGEST_WAIT;
  };
  const all = [received.from, received.to].flatMap((receivedAt) => [one(receivedAt, at.from), one(receivedAt, at.to)]);
  if (all.every((is) => is)) return "gone";
  return all.some((is) => is) ? "perhaps" : "there";
};

/** The weaker of two. */
const both = (a: Presence, b: Presence): Presence =>
  a === "gone" || b === "gone" ? "gone" : a === "perhaps" || b === "perhaps" ? "perhaps" : "there";

const stronger = (a: Presence | undefined, b: Presence): Presence =>
  a === "there" || b === "there" ? "there" : a === "perhaps" || b === "perhaps" ? "perhaps" : "gone";

/** Makes the records that somebody tells of, where they are missing. */
export const tellOf = (workspace: Workspace, contact: string, accounts: string[], presence: Presence): Person => {
  const person = workspace.people.get(contact);
  for (const uid of accounts) {
    const account = workspace.accounts.get(uid);
    workspace.accounts.set(uid, { data: {}, ...account, presence: stronger(account?.presence, presence) });
  }
  const told = { data: {}, archived: false, ...person, accounts: person?.accounts ?? new Set<string>() };
  const next = { ...told, presence: stronger(person?.presence, presence) };
  if (presence === "there") for (const uid of accounts) next.accounts.add(uid);
  workspace.people.set(contact, next);
  return next;
};

/** An event was sent. @param answered whether it was answered with 200 */
export const send = ({ erasures }: State, workspace: Workspace, event: Event, answered: boolean): void => {
  const isOf = (one: Erasure) => one.workspace === workspace.name && one.contact === event.contact;
  const at = erasures.findLast(isOf)?.at;
  const now = both(at === undefined ? "there" : isBefore(event, at), answered ? "there" : "perhaps");
  const before = workspace.events.get(event.mark);
  if (before?.isAnonymous) {
    if (now !== "gone") before.mayRepeat = true;
    return;
  }
  const { received } = before !== undefined && (before.presence === "there" || now === "gone") ? before : event;
  workspace.events.set(event.mark, { ...event, received, presence: stronger(before?.presence, now) });
  if (now !== "gone") tellOf(workspace, event.contact, event.account === undefined ? [] : [event.account], now);
};

/** What is left of an event whose contact was anonymised: all of them have one contact of chance, and stand at the noon of their days. */
export const anonymous = (event: Event, contact: string, zone: string): Event => {
  const { mark, name, received, presence, mayRepeat } = event;
  const noon = (at: number): number => noonOf(timeOf({ ...event, received: { from: at, to: at } }), zone);
  return {
    mark,
    contact,
    name,
    presence,
    mayRepeat,
    received: { from: noon(received.from), to: noon(received.to) },
    isStamped: false,
    isImported: true,
    isAnonymous: true,
  };
};

/** What is there of a contact that had occurred before a time goes, or stays without a name. */
export const clear = (workspace: Workspace, contact: string, at: Span, keepsMarks = false): void => {
  let stays: Presence = "gone";
  const left = new Set<string>();
  for (const [mark, event] of workspace.events) {
    if (event.contact !== contact || event.isAnonymous) continue;
    const was = isBefore(event, at);
    if (was !== "there") event.isOld = false;
    if (event.presence === "gone") continue;
    const isLater = was === "there";
    if (isLater || was === "perhaps") {
      event.presence = both(event.presence, isLater ? "there" : "perhaps");
      stays = stronger(stays, event.presence);
      if (event.account !== undefined && event.presence === "there") left.add(event.account);
      if (keepsMarks) event.mayBeAnonymous = true;
    } else if (keepsMarks)
      workspace.events.set(mark, anonymous(event, `anonymous ${contact} ${at.from}`, workspace.zone));
    else event.presence = event.mayBeAnonymous ? "perhaps" : "gone";
  }
  workspace.people.delete(contact);
  workspace.leftOut.delete(`contact:${contact}`);
  if (stays !== "gone") workspace.people.set(contact, { data: {}, archived: false, accounts: left, presence: stays });
};

/** A contact was erased or anonymised. */
export const erase = (state: State, workspace: Workspace, contact: string, at: Span, keepsMarks = false): void => {
  clear(workspace, contact, at, keepsMarks);
  state.erasures.push({ workspace: workspace.name, contact, at });
};

/** Is it counted in figures? */
export const isCounted = ({ leftOut }: Workspace, { contact, account }: Event): boolean =>
  !leftOut.has(`contact:${contact}`) && (account === undefined || !leftOut.has(`account:${account}`));

/** What a database has, as of now. */
export const snapshot = ({ dumps: _, imports: _imports, ...state }: State): State =>
  structuredClone({ ...state, dumps: [], imports: [] });

/** An erasure has begun perhaps, and it is not known how far it came: it has no time from which on it was. */
export const doubt = (state: State, workspace: Workspace, contact: string, { to }: Span, keepsMarks = false): void => {
  for (const event of workspace.events.values())
    if (event.contact === contact && event.presence !== "gone")
      Object.assign(event, { presence: "perhaps", ...(keepsMarks && { mayBeAnonymous: true }) });
  const person = workspace.people.get(contact);
  if (person !== undefined) workspace.people.set(contact, { ...person, presence: "perhaps" });
  state.erasures.push({ workspace: workspace.name, contact, at: { from: 0, to } });
};

/** What a run of the archive puts into files, and leaves in them. */
export const archive = (workspace: Workspace): void => {
  workspace.hasArchive ||= present(workspace).length > 0;
  for (const { mark, presence, isOld } of workspace.hasArchive ? workspace.events.values() : [])
    if (presence === "there") workspace.archived.add(mark);
    else if (!isOld && presence === "gone") workspace.archived.delete(mark);
};

export const removeWorkspace = (state: State, workspace: Workspace): void => {
  workspace.exists = false;
  for (const token of [...workspace.tokens.values()].flat()) token.holds = false;
  for (const event of workspace.events.values()) event.presence = "gone";
  state.followers = state.followers.filter((one) => one.workspace !== workspace.name);
};

/** A dump was put into a new database, and who was erased since was erased again where the list of erasures is there. */
export const restore = (state: State, from: State, withErasures: boolean): void => {
  const { workspaces, erasures } = snapshot(from);
  for (const { workspace, contact, at } of withErasures ? state.erasures : []) {
    const one = workspaces.get(workspace);
    if (!one?.exists) continue;
    // What had ended before the dump is not done again: whoever has come back since stays. What had begun alone is.
    const isDone = erasures.some(
      (done) => done.workspace === workspace && done.contact === contact && done.at.to >= at.to && done.at.from > 0,
    );
    if (!isDone) clear(one, contact, at);
  }
  for (const workspace of workspaces.values()) Object.assign(workspace, { archived: new Set(), hasArchive: false });
  Object.assign(state, {
    workspaces,
    erasures: withErasures ? state.erasures : erasures,
    skew: 0,
    archives: state.archives + 1,
  });
  state.followers = state.followers.filter(({ workspace }) => workspaces.get(workspace)?.exists);
  for (const follower of state.followers)
    follower.isLost ||= [...follower.marks].some((mark) => !workspaces.get(follower.workspace)!.events.has(mark));
  // Of another course of things is what was dumped later: its key may be another one.
  state.dumps = state.dumps.filter(({ state: one }) => one.sent <= from.sent);
};
