import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspect, isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { eventsInFiles } from "../commands/archive/files.js";
import { type Driver, FAULTS, type Fault, linesIn, OWN, soon } from "./driver.js";
import { changesOf } from "./figures.js";
import {
  clear,
  DAY,
  type Event,
  erase,
  living,
  newWorkspace,
  present,
  type Span,
  type State,
  send,
  snapshot,
  type TokenKind,
  tellOf,
  type Workspace,
} from "./state.js";

/** A step of a history. */
export type Step = fc.AsyncCommand<State, Driver>;

/** What a step is told by chance: numbers, of which each takes what it needs. */
type Draw = readonly number[];

interface Kind {
  /** Can it be done now? Only what the model knows may be asked. */
  check?(state: State, draw: Draw): boolean;
  run(state: State, driver: Driver, draw: Draw): Promise<void>;
}

/** Zones with days of 23 and 25 hours, with changes by half an hour and at midnight, and with odd distances. */
export const ZONES = [
  ...["America/Santiago", "Australia/Lord_Howe", "Asia/Kathmandu"],
  ...["Pacific/Kiritimati", "Africa/Casablanca", "America/New_York"],
];
const NAMES = ["pageview", "signup", "pageview", "order", "pageview", "a", "b", "c", "d", "e", "f", "g"];
const PAGES = ["https://shop.example/", "https://shop.example/a/b?x=1", "http://app.example/#/settings", "/only/path"];
const REFERRERS = ["https://search.example/?q=1", "https://shop.example/a", "news.example", undefined, undefined];
const [CONTACTS, ACCOUNTS] = [6, 4];

const pick = <T>(all: readonly T[], at = 0): T => all[at % all.length]!;
const workspaceOf = (state: State, at?: number): Workspace => pick(living(state), at);
const contactOf = ({ name }: Workspace, at = 0): string => `person-${at % CONTACTS}-${name}-q7z`;
/** Whoever may have been told of. */
export const contactsOf = (workspace: Workspace): string[] =>
  Array.from({ length: CONTACTS }, (_, at) => contactOf(workspace, at));
const accountOf = (at = 0): string => `acme-${at % ACCOUNTS}`;
/** One that holds. */
export const tokenOf = ({ name, tokens }: Workspace, kind: TokenKind): string =>
  name === "default"
    ? OWN[kind]
    : ([...tokens.values()].flat().find((one) => one.holds && one.kind === kind)?.text ?? "");
const hasTokens = (workspace: Workspace): boolean =>
  (["api", "access", "admin"] as const).every((kind) => tokenOf(workspace, kind) !== "");

let changed: number[] | undefined;

/** A time of the last 90 days, often near a change of clocks or an edge of a quarter of an hour; never of the last minutes. */
const pastTime = (kind = 0, at = 0): number => {
  changed ??= ZONES.flatMap((zone) => changesOf(zone, 88));
  const now = Date.now() - 600_000;
  if (kind % 3 === 0 && changed.length > 0)
    return Math.min(now, pick(changed, at) + ((at * 7_919) % 7_200_000) - 1_800_000);
  if (kind % 3 === 1) return now - ((at * 104_729) % (90 * DAY));
  return now - ((at * 15_485_863) % (3 * DAY)) - ((now - ((at * 15_485_863) % (3 * DAY))) % 900_000) - (at % 2);
};

/** An event as chance wants it. */
const newEvent = (state: State, workspace: Workspace, [who = 0, what = 0, when = 0, seed = 0]: Draw): Event => {
  state.sent += 1;
  const name = pick(NAMES, what);
  const isView = name === "pageview" && what % 5 > 0;
  const occurs = [undefined, 0, -3_600_000, -40 * DAY, 3_600_000, 2 * DAY, 0][when % 7];
  return {
    ...{ mark: `m${state.sent}-q7z`, contact: contactOf(workspace, who), name },
    account: who % 3 === 0 ? undefined : accountOf(who + what),
    ...(isView && { url: pick(PAGES, seed), referrer: pick(REFERRERS, what + seed) }),
    occurred: occurs === undefined ? undefined : Date.now() + occurs,
    ...{ isStamped: seed % 3 > 0, isImported: false, presence: "gone", mayRepeat: false, isAnonymous: false },
    received: { from: Date.now(), to: Date.now() },
  };
};

const eventsOf = (state: State, workspace: Workspace, draw: Draw): Event[] =>
  draw.map((one, at) => newEvent(state, workspace, [one, draw[0]! + at, draw[1]! + one, one + at]));

const uuidOf = (mark: string, kind: string): string =>
  `00000000-0000-4000-${kind}000-${mark.replaceAll(/\D/g, "").padStart(12, "0")}`;

export const paramsOf = ({ mark, account, url, referrer, occurred, isStamped }: Event): Record<string, unknown> => ({
  mark,
  ...(account !== undefined && { account_uid: account }),
  ...(url !== undefined && { visit_url: url }),
  ...(referrer !== undefined && { referrer }),
  ...(occurred !== undefined && { occurred_at: occurred }),
  ...(isStamped && {
    event_id: uuidOf(mark, "a"),
    event_source: uuidOf("0", "b"),
    event_seq: Number.parseInt(mark.slice(1), 10),
  }),
});
const bodyOf = (event: Event) => ({ contact_uid: event.contact, event_uid: event.name, params: paramsOf(event) });

/** Notes when something was done: no answer has come before, or after. */
const timed = async <T>(work: () => Promise<T>): Promise<[T, Span]> => {
  const from = Date.now();
  const result = await work();
  return [result, { from, to: Date.now() }];
};
/** The same by the clock of the database, or of the machine. */
const around = ({ from, to }: Span, { skew }: State): Span => ({
  from: from + Math.min(0, skew),
  to: to + Math.max(0, skew),
});

/** Statuses of a service that cannot now, and of none. */
export const isAway = (status: number | undefined): boolean => status === undefined || status === 503 || status === 500;
const expectStatus = (
  what: string,
  answer: { status: number | undefined; body: unknown },
  ...wanted: number[]
): void => {
  if (
    answer.status === 500 ||
    (answer.status !== undefined && !isAway(answer.status) && !wanted.includes(answer.status))
  )
    throw new Error(`${what} was answered with ${answer.status}: ${JSON.stringify(answer.body)}`);
};

const postOne = async (state: State, driver: Driver, workspace: Workspace, event: Event): Promise<void> => {
  const path = `/v1/track/event?api_token=${tokenOf(workspace, "api")}`;
  const [answer, received] = await timed(() => driver.ask("POST", path, { body: bodyOf(event) }));
  expectStatus("an event", answer, 200);
  const before = workspace.events.get(event.mark);
  send(workspace, { ...event, received, mayRepeat: !event.isStamped && before !== undefined }, answer.status === 200);
  // What waited for a lock is taken back where it waited too long, and what was answered with 503 may come once more.
  if (state.skew !== 0 && answer.status === 503)
    workspace.events.get(event.mark)!.presence = before?.presence ?? "gone";
};

const postSeveral = async (
  state: State,
  driver: Driver,
  workspace: Workspace,
  { events, past }: { events: Event[]; past?: number[] },
): Promise<void> => {
  const rows = events.map((event, at) => ({ ...bodyOf(event), ...(past && { received_at: past[at]! }) }));
  const path = past ? "/v1/track/events" : `/v1/track/events?api_token=${tokenOf(workspace, "api")}`;
  const asked = { body: rows, ...(past && { basic: tokenOf(workspace, "admin") }) };
  const [answer, received] = await timed(() => driver.ask("POST", path, asked));
  expectStatus("several events", answer, 200, 207);
  for (const [at, event] of events.entries()) {
    const verdict = Array.isArray(answer.body) ? answer.body[at].status : undefined;
    if (verdict === "refused") throw new Error(`an event was refused: ${JSON.stringify(answer.body[at])}`);
    const when = past ? { from: past[at]!, to: past[at]! } : received;
    const before = workspace.events.get(event.mark)?.presence;
    if (verdict === "repeated" && before === "gone") throw new Error(`${event.mark} came before, is told, and did not`);
    const isStored = verdict === "stored" || verdict === "repeated";
    send(workspace, { ...event, received: when, isImported: past !== undefined }, isStored);
    if (state.skew !== 0 && !isStored) workspace.events.get(event.mark)!.presence = before ?? "gone";
  }
};

/** Ids of records, as the interface tells them. */
export const idOf = async (
  driver: Driver,
  workspace: Workspace,
  kind: "account" | "contact",
  uid: string,
): Promise<string | undefined> =>
  (await driver.ask("GET", `/v2/${kind}s?uid=${encodeURIComponent(uid)}`, { token: tokenOf(workspace, "access") })).body
    ?.id;

const eraseOne = async (
  state: State,
  driver: Driver,
  { workspace, contact, keeps }: { workspace: Workspace; contact: string; keeps: boolean },
): Promise<void> => {
  const [answer, at] = await timed(() =>
    driver.ask("POST", `/v2/contacts/${keeps ? "anonymise" : "erase"}`, {
      token: tokenOf(workspace, "admin"),
      body: { uid: contact, ...(keeps && { params: ["mark"] }) },
    }),
  );
  expectStatus("an erasure", answer, 200, 404);
  if (answer.status === 404 && workspace.people.get(contact)?.presence === "there")
    throw new Error(`${contact} is there, and its erasure says that it is not`);
  if (answer.status === 200) erase(state, workspace, contact, around(at, state), keeps);
  if (isAway(answer.status)) doubt(state, workspace, contact, around(at, state));
};

const eraseDrawn = (state: State, driver: Driver, draw: Draw, keeps: boolean): Promise<void> => {
  const workspace = workspaceOf(state, draw[4]);
  return eraseOne(state, driver, { workspace, contact: contactOf(workspace, draw[0]), keeps });
};

/** An erasure has begun, and it is not known how far it came. */
const doubt = (state: State, workspace: Workspace, contact: string, { to }: Span): void => {
  for (const event of workspace.events.values())
    if (event.contact === contact && event.presence === "there") event.presence = "perhaps";
  const person = workspace.people.get(contact);
  if (person !== undefined) workspace.people.set(contact, { ...person, presence: "perhaps" });
  workspace.erased.set(contact, { from: 0, to });
  state.erasures.push({ workspace: workspace.name, contact, at: { from: 0, to } });
};

const addTokens = async (driver: Driver, workspace: Workspace, kind: TokenKind, name: string): Promise<void> => {
  const said = await driver.command("token", "create", name, "--kind", kind, "--workspace", workspace.name);
  if (said.failed !== undefined) throw new Error(`token create: ${said.failed}`);
  workspace.tokens.set(name, [{ kind, text: said.out.trim(), holds: true }]);
};

const must = async (said: Promise<{ failed?: string; err: string }>): Promise<void> => {
  const { failed } = await said;
  if (failed !== undefined) throw new Error(`a command failed: ${failed}`);
};

/** No clock is wrong: what waits for what is settled would wait. */
const isRight = ({ skew }: State): boolean => skew === 0;

/** What a database has after a dump was put into it. */
const restore = (state: State, from: State, withErasures: boolean): void => {
  const { erasures } = state;
  const copy = snapshot(from);
  state.workspaces = copy.workspaces;
  if (withErasures)
    for (const { workspace, contact, at } of erasures) {
      const one = state.workspaces.get(workspace);
      if (!one?.exists) continue;
      const known = copy.erasures.some(
        (before) => before.workspace === workspace && before.contact === contact && before.at.to >= at.to,
      );
      if (!known) clear(one, contact, at);
      one.erased.set(contact, at);
    }
  state.erasures = withErasures ? erasures : copy.erasures;
  state.skew = 0;
  state.archives += 1;
  for (const workspace of state.workspaces.values())
    Object.assign(workspace, { archived: new Set(), hasArchive: false });
  state.followers = state.followers.filter(({ workspace }) => state.workspaces.get(workspace)?.exists);
  // Of another course of things is what was dumped later: its key may be another one.
  state.dumps = state.dumps.filter(({ state: one }) => one.sent <= from.sent);
};

/** Each kind of step. */
export const KINDS: Record<string, Kind> = {
  event: {
    run: (state, driver, draw) => {
      const workspace = workspaceOf(state, draw[4]);
      return postOne(state, driver, workspace, newEvent(state, workspace, draw));
    },
  },
  several: {
    run: (state, driver, draw) => {
      const workspace = workspaceOf(state, draw[4]);
      const events = eventsOf(state, workspace, draw).slice(0, 1 + (draw[4]! % 5));
      return postSeveral(state, driver, workspace, { events });
    },
  },
  burst: {
    run: async (state, driver, draw) => {
      const workspace = workspaceOf(state, draw[4]);
      await Promise.all(eventsOf(state, workspace, draw).map((event) => postOne(state, driver, workspace, event)));
    },
  },
  repeat: {
    check: (state, draw) => [...workspaceOf(state, draw[0]).events.values()].some(({ isStamped }) => isStamped),
    run: async (state, driver, draw) => {
      const workspace = workspaceOf(state, draw[0]);
      const sent = pick(
        [...workspace.events.values()].filter(({ isStamped }) => isStamped),
        draw[1],
      );
      if (draw[2]! % 2 === 0) await postOne(state, driver, workspace, { ...sent, isImported: false });
      else await postSeveral(state, driver, workspace, { events: [{ ...sent, isImported: false }] });
    },
  },
  refused: {
    run: async (state, driver, draw) => {
      const workspace = workspaceOf(state, draw[0]);
      const [path, contact_uid] = [
        `/v1/track/event?api_token=${tokenOf(workspace, "api")}`,
        contactOf(workspace, draw[1]),
      ];
      const bodies = [
        {},
        { contact_uid },
        { contact_uid: "", event_uid: "a" },
        [],
        "text",
        { contact_uid, event_uid: 1 },
      ];
      const answer = await driver.ask("POST", path, { body: pick(bodies, draw[2]) });
      expectStatus("a wrong event", answer, 400);
    },
  },
  past: {
    run: async (state, driver, draw) => {
      const workspace = workspaceOf(state, draw[4]);
      const events = eventsOf(state, workspace, draw);
      const past = events.map((_, at) => pastTime(draw[2]! + at, draw[at % draw.length]! + at));
      for (const [at, event] of events.entries())
        if (event.occurred !== undefined) event.occurred += past[at]! - Date.now();
      await postSeveral(state, driver, workspace, { events, past });
    },
  },
  import: {
    check: isRight,
    run: async (state, driver, draw) => {
      const again =
        draw[3]! % 3 === 0 ? state.imports.find(({ workspace }) => state.workspaces.get(workspace)?.exists) : undefined;
      const workspace = again === undefined ? workspaceOf(state, draw[4]) : state.workspaces.get(again.workspace)!;
      const events =
        again?.marks.map((mark) => workspace.events.get(mark)!).filter(Boolean) ?? eventsOf(state, workspace, draw);
      const lines = events.map((event, at) => {
        const received = pastTime(draw[2]! + at, draw[at % draw.length]! + at);
        if (again === undefined)
          Object.assign(event, {
            received: { from: received, to: received },
            occurred: event.occurred && event.occurred - Date.now() + received,
            isImported: true,
          });
        const late = event.occurred === undefined ? Number.NaN : event.received.from - event.occurred;
        const occurred = late <= 30 * DAY && late >= -DAY ? event.occurred : undefined;
        return {
          ...{
            id: uuidOf(event.mark, "9"),
            received_at: event.received.from,
            contact_uid: event.contact,
            event_uid: event.name,
          },
          ...{ occurred_at: occurred ?? null, account_uid: event.account ?? null, params: paramsOf(event) },
        };
      });
      const file = again?.file ?? linesIn(driver, `events-${state.sent}.ndjson`, lines);
      if (again === undefined)
        state.imports.push({ workspace: workspace.name, file, marks: events.map(({ mark }) => mark) });
      await must(driver.command("import", file, "--workspace", workspace.name));
      for (const event of events) send(workspace, { ...event, isImported: true, isAnonymous: false }, true);
    },
  },
  record: {
    run: async (state, driver, draw) => {
      const workspace = workspaceOf(state, draw[4]);
      const contact = contactOf(workspace, draw[0]);
      const body = {
        data: { name: `Name ${draw[1]} of ${contact}` },
        archived: draw[2]! % 2 === 0,
        accounts: draw[3]! % 2 ? [accountOf(draw[3])] : [],
      };
      const answer = await driver.ask("PUT", `/v2/contacts?uid=${contact}`, {
        token: tokenOf(workspace, "admin"),
        body,
      });
      expectStatus("PUT of a contact", answer, 200);
      const presence = answer.status === 200 ? "there" : "perhaps";
      const person = tellOf(workspace, contact, body.accounts, presence);
      if (presence === "there") Object.assign(person, { data: body.data, archived: body.archived });
      else person.presence = "perhaps";
    },
  },
  account: {
    run: async (state, driver, draw) => {
      const workspace = workspaceOf(state, draw[4]);
      const [uid, data] = [accountOf(draw[0]), { name: `Acme ${draw[1]}` }];
      const answer = await driver.ask("PUT", `/v2/accounts?uid=${uid}`, {
        token: tokenOf(workspace, "admin"),
        body: { data },
      });
      expectStatus("PUT of an account", answer, 200);
      workspace.accounts.set(uid, { data, presence: answer.status === 200 ? "there" : "perhaps" });
    },
  },
  deleteAccount: {
    check: (state, draw) =>
      isRight(state) && workspaceOf(state, draw[4]).accounts.get(accountOf(draw[0]))?.presence === "there",
    run: async (state, driver, draw) => {
      const workspace = workspaceOf(state, draw[4]);
      await must(driver.command("delete-record", "account", accountOf(draw[0]), "--workspace", workspace.name));
      workspace.accounts.delete(accountOf(draw[0]));
      for (const { accounts } of workspace.people.values()) accounts.delete(accountOf(draw[0]));
    },
  },
  erase: {
    run: (state, driver, draw) => eraseDrawn(state, driver, draw, false),
  },
  eraseMany: {
    check: isRight,
    run: async (state, driver, draw) => {
      const workspace = workspaceOf(state, draw[4]);
      const uids = [...new Set(draw.slice(0, 3).map((at) => contactOf(workspace, at)))];
      const file = join(driver.folder, "uids");
      writeFileSync(file, uids.join("\n"));
      const [said, at] = await timed(() => driver.command("erase", "--file", file, "--workspace", workspace.name));
      if (said.failed !== undefined) throw new Error(`erase --file: ${said.failed}`);
      for (const uid of uids) erase(state, workspace, uid, around(at, state));
    },
  },
  anonymise: {
    run: (state, driver, draw) => eraseDrawn(state, driver, draw, true),
  },
  leaveOut: {
    run: async (state, driver, draw) => {
      const workspace = workspaceOf(state, draw[4]);
      const kind = draw[1]! % 2 ? "account" : "contact";
      const uid = kind === "account" ? accountOf(draw[0]) : contactOf(workspace, draw[0]);
      const id = await idOf(driver, workspace, kind, uid);
      if (id === undefined) return;
      const method = draw[2]! % 3 === 0 ? "DELETE" : "PUT";
      const answer = await driver.ask(method, `/v2/numbers/${kind}s/${id}/left-out`, {
        token: tokenOf(workspace, "admin"),
      });
      expectStatus("leaving out", answer, 200);
      if (answer.status !== 200) return;
      workspace.leftOut[method === "PUT" ? "add" : "delete"](`${kind}:${uid}`);
    },
  },
  follow: {
    check: isRight,
    run: async (state, driver, draw) => {
      const workspace = workspaceOf(state, draw[4]);
      if (state.followers.length < 3 && draw[0]! % 3 === 0)
        state.followers.push({ workspace: workspace.name, place: FIRST, ids: new Set() });
      for (const follower of state.followers) await followPage(state, driver, follower, { limit: 1 + (draw[1]! % 7) });
    },
  },
  archive: {
    check: isRight,
    run: async (state, driver) => {
      const folder = `${driver.folder}/archive-${state.archives}`;
      const run = () => must(driver.command("archive", folder, "--now"));
      await run();
      for (const workspace of living(state)) archived(workspace);
      if (!living(state).some(({ hasArchive }) => hasArchive)) return;
      // What is not settled yet, as some transaction is open, comes with the next run.
      await soon(driver.patience, () =>
        requireArchived(state, folder).catch((error) => run().then(() => Promise.reject(error))),
      );
      await must(driver.command("archive", folder, "--check"));
    },
  },
  retention: {
    check: isRight,
    run: async (state, driver, draw) => {
      const workspace = workspaceOf(state, draw[4]);
      const days = 1 + (draw[0]! % 60);
      const [said, at] = await timed(() =>
        driver.command("delete-events", "--older-than", String(days), "--yes", "--workspace", workspace.name),
      );
      if (said.failed !== undefined) throw new Error(`delete-events: ${said.failed}`);
      for (const event of present(workspace)) {
        event.isOld = event.received.from <= at.to - days * DAY;
        if (event.received.to < at.from - days * DAY) event.presence = "gone";
        else if (event.received.from <= at.to - days * DAY) event.presence = "perhaps";
      }
    },
  },
  deleteNamed: {
    check: isRight,
    run: async (state, driver, draw) => {
      const [workspace, name] = [workspaceOf(state, draw[4]), pick(NAMES, draw[0])];
      await must(driver.command("delete-events", "--name", name, "--yes", "--workspace", workspace.name));
      for (const event of workspace.events.values())
        if (event.name === name) {
          event.presence = "gone";
          event.isOld = false;
        }
    },
  },
  restore: {
    check: (state) => isRight(state),
    run: async (state, driver, draw) => {
      const file = `${driver.folder}/${state.sent}.dump`;
      if (state.dumps.length === 0 || draw[0]! % 2 === 0) {
        await must(driver.command("dump", file));
        state.dumps.push({ file, state: snapshot(state) });
        return;
      }
      const [withErasures, dump] = [draw[1]! % 3 > 0, pick(state.dumps, draw[2])];
      const list = `${driver.folder}/erasures`;
      if (withErasures) {
        writeFileSync(list, (await driver.command("audit", "--erasures")).out);
        writeFileSync(`${list}.key`, (await driver.command("audit", "--key")).out);
      }
      await must(
        driver.moveOn((at) => at.command("restore", dump.file, ...(withErasures ? ["--erasures", list] : []))),
      );
      restore(state, dump.state, withErasures);
    },
  },
  move: {
    check: isRight,
    run: (_state, driver) => must(driver.moveOn((_at, url) => driver.command("move-to", url))),
  },
  workspace: {
    check: isRight,
    run: async (state, driver, draw) => {
      if (state.workspaces.size < 4) {
        const name = `shop-${state.workspaces.size}`;
        await must(driver.command("workspace", "create", name));
        const workspace = newWorkspace(name, pick(ZONES, draw[0]));
        for (const kind of ["api", "access", "admin"] as const)
          await addTokens(driver, workspace, kind, `${kind}-token`);
        state.workspaces.set(name, workspace);
      } else if (draw[1]! % 3 === 0) {
        const workspace = pick(living(state), draw[0]);
        if (workspace.name === "default") return;
        await must(driver.command("workspace", "delete", workspace.name, "--yes"));
        workspace.exists = false;
        for (const token of [...workspace.tokens.values()].flat()) token.holds = false;
        for (const event of workspace.events.values()) event.presence = "gone";
        state.followers = state.followers.filter((one) => one.workspace !== workspace.name);
      }
    },
  },
  token: {
    check: (state, draw) => isRight(state) && workspaceOf(state, draw[4]).name !== "default",
    run: async (state, driver, draw) => {
      const workspace = workspaceOf(state, draw[4]);
      const [name, tokens] = pick(
        [...workspace.tokens].filter(([, all]) => all.some(({ holds }) => holds)),
        draw[0],
      );
      const { kind } = tokens[0]!;
      if (draw[1]! % 2 === 0) {
        const keep = draw[2]! % 2;
        const said = await driver.command(
          "token",
          "rotate",
          name,
          "--keep",
          String(keep),
          "--workspace",
          workspace.name,
        );
        if (said.failed !== undefined) throw new Error(`token rotate: ${said.failed}`);
        if (keep === 0) for (const token of tokens) token.holds = false;
        tokens.push({ kind, text: said.out.trim(), holds: true });
      } else {
        await must(driver.command("token", "revoke", name, "--workspace", workspace.name));
        for (const token of tokens) token.holds = false;
        await addTokens(driver, workspace, kind, `${kind}-${state.sent}-${workspace.tokens.size}`);
      }
    },
  },
  restart: { check: isRight, run: (_state, driver) => driver.restart() },
  second: { check: isRight, run: (_state, driver) => driver.second() },
  migrate: { check: isRight, run: (_state, driver) => must(driver.command("migrate")) },
  slow: { run: (_state, driver, draw) => driver.slow(50 + (draw[0]! % 400)) },
  clock: {
    run: async (state, driver, draw) => {
      state.skew = pick([0, 5_000, -4_000, 60_000, -400_000, 0], draw[0]);
      await driver.setClock(state.skew);
    },
  },
};

/** What breaks while events, an erasure and a command are under way. */
const faulty = (kind: Fault): Kind => ({
  check: isRight,
  run: async (state, driver, draw) => {
    const workspace = workspaceOf(state, draw[4]);
    const contact = contactOf(workspace, draw[0]);
    const breaking = kind === "crash" ? undefined : driver.fault!(kind, draw[1]! % 300);
    // From here on it may end at any operation.
    if (kind === "crash") await driver.fault!(kind, draw[1]!);
    const events = eventsOf(state, workspace, draw).filter((event) => event.contact !== contact);
    const sending = events.map((event) => postOne(state, driver, workspace, event));
    const others =
      draw[2]! % 2 === 0 ? [eraseOne(state, driver, { workspace, contact, keeps: draw[3]! % 3 === 0 })] : [];
    await Promise.all([breaking, ...sending, ...others]);
    const milliseconds = await driver.heal();
    if (milliseconds > 60_000) throw new Error(`${milliseconds} ms after the fault all is answered again`);
  },
});
for (const kind of FAULTS) KINDS[kind] = faulty(kind);

/** In front of all ids. */
export const FIRST = "00000000-0000-7000-8000-000000000000";

/** What a run of the archive has put into files, and left in them. */
const archived = (workspace: Workspace): void => {
  const events = [...workspace.events.values()];
  if (events.some(({ presence }) => presence === "there")) workspace.hasArchive = true;
  if (!workspace.hasArchive) return;
  for (const { mark, presence, isOld } of events)
    if (presence === "there") workspace.archived.add(mark);
    else if (!isOld && presence === "gone") workspace.archived.delete(mark);
};

/** The files have each event once, and nobody who was erased. */
const requireArchived = async (state: State, folder: string): Promise<void> => {
  const rows = await eventsInFiles(folder, ", workspace");
  const found = rows.map(({ workspace, params }) => `${workspace} ${JSON.parse(String(params)).mark}`);
  const wanted = living(state).flatMap(({ name, archived }) => [...archived].map((mark) => `${name} ${mark}`));
  const doubtful = new Set(
    living(state).flatMap(({ name, events }) =>
      [...events.values()]
        .filter(({ presence, mayRepeat }) => presence === "perhaps" || mayRepeat)
        .map(({ mark }) => `${name} ${mark}`),
    ),
  );
  const isOf = (line: string) => living(state).some(({ name }) => line.startsWith(`${name} `)) && !doubtful.has(line);
  expectSame("the files of the archive", found.filter(isOf).sort(), wanted.filter(isOf).sort());
};

export const expectSame = (what: string, told: unknown, wanted: unknown): void => {
  if (isDeepStrictEqual(told, wanted)) return;
  const text = (value: unknown) => inspect(value, { depth: 9, maxArrayLength: 200, breakLength: 160 });
  const [is, must] = [told, wanted].map(text);
  if (Array.isArray(told) && Array.isArray(wanted)) {
    const more = told.filter((one) => !wanted.some((other) => isDeepStrictEqual(one, other)));
    const missing = wanted.filter((one) => !told.some((other) => isDeepStrictEqual(one, other)));
    if (more.length + missing.length > 0)
      throw new Error(`${what}: too much is ${text(more)}, missing is ${text(missing)}`);
  }
  throw new Error(`${what}: is ${is}\nand must be ${must}`);
};

/** Reads a page behind a cursor. @returns whether there was anything */
export const followPage = async (
  state: State,
  driver: Driver,
  follower: State["followers"][number],
  { limit }: { limit: number },
): Promise<boolean> => {
  const workspace = state.workspaces.get(follower.workspace)!;
  const path = `/v2/events?after=${follower.place}&limit=${limit}`;
  const { status, body } = await driver.ask("GET", path, { token: tokenOf(workspace, "access") });
  if (status === 410) {
    // What was behind the dump is no more: it goes on from where that ends.
    Object.assign(follower, { place: FIRST, ids: new Set() });
    return true;
  }
  if (isAway(status)) return false;
  if (status !== 200) throw new Error(`who follows is answered with ${status}: ${JSON.stringify(body)}`);
  for (const { id, settled } of body.data as { id: string; settled: boolean }[]) {
    if (!settled) throw new Error(`${id} is told to who follows, and is not settled`);
    if (id <= follower.place) throw new Error(`${id} is told behind ${follower.place}`);
    follower.ids.add(id);
    follower.place = id;
  }
  return body.data.length > 0;
};

const number = fc.nat(999);

/** An arbitrary for steps of a kind. */
export const stepOf = (name: string): fc.Arbitrary<Step> =>
  fc.tuple(number, number, number, number, number).map((draw) => {
    const { check, run } = KINDS[name]!;
    return {
      check: (state) => living(state as State).every(hasTokens) && (check?.(state as State, draw) ?? true),
      run: (state, driver) => run(state, driver, draw),
      toString: () => `${name}(${draw.join(",")})`,
    };
  });
