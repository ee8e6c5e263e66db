import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { inspect, isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { eventsInFiles } from "../commands/archive/files.js";
import { type Answer, type Asked, askAt, type Driver, FAULTS, must, OWN, type Said, soon } from "./driver.js";
import { changesOf, dayOf } from "./figures.js";
import type { Event, Follower, Span, State, TokenKind, Workspace } from "./state.js";
import * as model from "./state.js";

const { DAY, living } = model;

/** A step of a history; its text is what it is called by, and its draw. */
export interface Step {
  run(state: State, driver: Driver): Promise<unknown>;
  toString(): string;
}

/** What a step acts on: one workspace, and numbers of chance, of which it takes what it needs. */
export interface On {
  state: State;
  driver: Driver;
  workspace: Workspace;
  draw: readonly number[];
}

/** Zones with days of 23 and 25 hours, with changes by half an hour and at midnight, and with odd distances. */
export const ZONES =
  "America/Santiago Australia/Lord_Howe Asia/Kathmandu Pacific/Kiritimati Africa/Casablanca America/New_York".split(
    " ",
  );
const NAMES = "pageview signup pageview order pageview a b c d e f g".split(" ");
const PAGES = ["https://shop.example/", "https://shop.example/a/b?x=1", "http://app.example/#/settings", "/only/path"];
const REFERRERS = ["https://search.example/?q=1", "https://shop.example/a", "news.example", undefined, undefined];
export const pick = <T>(all: readonly T[], at = 0): T => all[at % all.length]!;
const contactOf = ({ name }: Workspace, at = 0): string => `person-${at % 6}-${name}-q7z`;
/** Whoever may have been told of. */
export const contactsOf = (workspace: Workspace): string[] => [0, 1, 2, 3, 4, 5].map((at) => contactOf(workspace, at));
/** Mostly somebody of whom something is known. */
const someoneOf = (workspace: Workspace, at = 0): string =>
  at % 5 === 0 || workspace.people.size === 0
    ? contactOf(workspace, Math.floor(at / 5))
    : pick([...workspace.people.keys()], at);
const accountOf = (at = 0): string => `acme-${at % 4}`;
/** One that holds. */
export const tokenOf = ({ name, tokens }: Workspace, kind: TokenKind): string =>
  name === "default"
    ? OWN[kind]
    : ([...tokens.values()].flat().find((one) => one.holds && one.kind === kind)?.text ?? "");
const KINDS_OF_TOKEN = ["api", "access", "admin"] as const;

let changed: number[] | undefined;
/** A time of the last 90 days, often near a change of clocks or an edge of a quarter of an hour; never of the last minutes. */
const pastTime = (kind: number, at: number): number => {
  changed ??= ZONES.flatMap((zone) => changesOf(zone, 88));
  const now = Date.now() - 600_000;
  if (kind % 3 === 0) return Math.min(now, pick(changed, at) + ((at * 7_919) % 7_200_000) - 1_800_000);
  const time = now - ((at * 15_485_863) % ((kind % 3 === 1 ? 90 : 3) * DAY));
  return kind % 3 === 1 ? time : time - (time % 900_000) - (at % 2);
};

/** An event as chance wants it. */
const newEvent = ({ state, workspace }: On, [who, what, when, seed]: number[]): Event => {
  state.sent += 1;
  const name = pick(NAMES, what);
  const occurs = pick([undefined, 0, -3_600_000, -40 * DAY, 3_600_000, 2 * DAY, 0], when);
  return {
    mark: `m${state.sent}-q7z`,
    contact: contactOf(workspace, who),
    name,
    presence: "gone",
    account: who! % 3 === 0 ? undefined : accountOf(who! + what!),
    ...(name === "pageview" && what! % 5 > 0 && { url: pick(PAGES, seed), referrer: pick(REFERRERS, what! + seed!) }),
    occurred: occurs === undefined ? undefined : Date.now() + occurs,
    received: { from: Date.now(), to: Date.now() },
    isStamped: seed! % 3 > 0,
    isImported: false,
    mayRepeat: false,
    isAnonymous: false,
  };
};
const newEvents = (on: On): Event[] =>
  on.draw.map((one, at) => newEvent(on, [one, on.draw[0]! + at, on.draw[1]! + one, one + at]));
/** Events of before, with the times of their receipt. */
const pastEvents = (on: On): Event[] =>
  newEvents(on).map((event, at) => {
    const time = pastTime(on.draw[2]! + at, on.draw[at]! + at);
    const occurred = event.occurred && event.occurred - Date.now() + time;
    return { ...event, occurred, received: { from: time, to: time }, isImported: true };
  });

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
  return [await work(), { from, to: Date.now() }];
};
/** The same by the clock of the database, or of the machine. */
const around = ({ from, to }: Span, { skew }: State): Span => ({
  from: from + Math.min(0, skew),
  to: to + Math.max(0, skew),
});

/** Statuses of a service that cannot now, and of none. */
export const isAway = (status: number | undefined): boolean => status === undefined || status === 503;
/** Asks for what is answered with one of some statuses, or not now. */
const asks = async (on: On, method: string, path: string, asked: Asked, ...wanted: number[]): Promise<Answer> => {
  const answer = await on.driver.ask(method, path, asked);
  if (!isAway(answer.status) && !wanted.includes(answer.status!))
    throw new Error(
      `${method} ${path.split("?")[0]} was answered with ${answer.status}: ${JSON.stringify(answer.body)}`,
    );
  return answer;
};
const asksAdmin = (on: On, method: string, path: string, body: unknown, ...wanted: number[]): Promise<Answer> =>
  asks(on, method, path, { token: tokenOf(on.workspace, "admin"), ...(body !== undefined && { body }) }, ...wanted);
/** Waits until the figures have all that was stored before, and nobody is on the way; not for ever, as something may be broken. */
const untilCounted = ({ driver, workspace }: On): Promise<void> => {
  const [token, since] = [tokenOf(workspace, "access"), Date.now()];
  return soon(Math.min(driver.patience, 10_000), async () => {
    const { body } = await driver.ask("GET", "/v2/numbers?span=24h", { token });
    if (!(body?.counted_to > since) || body.changing) throw new Error("not yet");
  }).catch(() => {});
};
/** A command on the workspace that does not fail. */
const runs = ({ driver, workspace }: On, ...args: string[]): Promise<Said> =>
  must(driver.command(...args, "--workspace", workspace.name));

const pathOf = (on: On, path: string): string => `/v1/track/${path}?api_token=${tokenOf(on.workspace, "api")}`;
/** What was answered with 503 as a clock is wrong was taken back. */
const take = ({ state, workspace }: On, event: Event, isStored: boolean): void => {
  const before = workspace.events.get(event.mark);
  model.send(state, workspace, event, isStored);
  if (state.skew !== 0 && !isStored) workspace.events.get(event.mark)!.presence = before?.presence ?? "gone";
};
const postOne = async (on: On, event: Event): Promise<void> => {
  const [{ status }, received] = await timed(() => asks(on, "POST", pathOf(on, "event"), { body: bodyOf(event) }, 200));
  take(on, { ...event, received, isImported: false }, status === 200);
};
/** @param isPast whether they go with the time of their receipt */
const postSeveral = async (on: On, events: Event[], isPast = false): Promise<void> => {
  const body = events.map((event) => ({ ...bodyOf(event), ...(isPast && { received_at: event.received.from }) }));
  const asked = { body, ...(isPast && { basic: tokenOf(on.workspace, "admin") }) };
  const path = isPast ? "/v1/track/events" : pathOf(on, "events");
  const [answer, received] = await timed(() => asks(on, "POST", path, asked, 200, 207));
  for (const [at, event] of events.entries()) {
    const verdict = Array.isArray(answer.body) ? answer.body[at].status : "again";
    if (verdict === "refused") throw new Error(`an event was refused: ${JSON.stringify(answer.body[at])}`);
    if (verdict === "repeated" && on.workspace.events.get(event.mark)?.presence === "gone")
      throw new Error(`${event.mark} came before, is told, and did not`);
    take(on, isPast ? event : { ...event, received, isImported: false }, verdict !== "again");
  }
};

/** Ids of records, as the interface tells them. */
export const idOf = async (
  driver: Driver,
  workspace: Workspace,
  kind: string,
  uid: string,
): Promise<string | undefined> =>
  (await driver.ask("GET", `/v2/${kind}s?uid=${encodeURIComponent(uid)}`, { token: tokenOf(workspace, "access") })).body
    ?.id;

/** @param keeps whether the events stay, without a name */
const eraseOne = async (on: On, keeps = false): Promise<void> => {
  const { state, workspace, draw } = on;
  const uid = someoneOf(workspace, draw[0]);
  const body = { uid, ...(keeps && { params: ["mark"] }) };
  const wasThere = workspace.people.get(uid)?.presence === "there";
  const [{ status }, span] = await timed(() =>
    asksAdmin(on, "POST", `/v2/contacts/${keeps ? "anonymise" : "erase"}`, body, 200, 404),
  );
  if (status === 404 && wasThere) throw new Error(`${uid} is there, and its erasure says that it is not`);
  if (status === 200) model.erase(state, workspace, uid, around(span, state), keeps);
  if (isAway(status)) model.doubt(state, workspace, uid, around(span, state), keeps);
};

const addToken = async (on: On, kind: TokenKind, name: string): Promise<void> => {
  const { out } = await runs(on, "token", "create", name, "--kind", kind);
  on.workspace.tokens.set(name, [{ kind, text: out.trim(), holds: true }]);
  await isFollowed(on, kind, out.trim());
};
/** Each process learns of a new token within a moment. */
const isFollowed = async ({ driver }: On, kind: TokenKind, token: string): Promise<void> => {
  for (const { url } of driver.services())
    await soon(driver.patience, async () => {
      const [path, asked] =
        kind === "access" ? ["/v2/users", { token }] : ["/v1/track/events", { basic: token, body: [] }];
      const { status } = await askAt(url, kind === "access" ? "GET" : "POST", path, asked);
      if (status === 401 || isAway(status)) throw new Error(`a new ${kind} token is answered with ${status}`);
    });
};
const repeatable = ({ events }: Workspace): Event[] => [...events.values()].filter(({ isStamped }) => isStamped);

/** Each kind of step. */
export const KINDS: Record<string, (on: On) => Promise<unknown>> = {
  event: (on) => postOne(on, newEvent(on, [...on.draw])),
  several: (on) => postSeveral(on, newEvents(on).slice(0, 1 + (on.draw[3]! % 5))),
  /** Each that has a stamp twice, to each process where there are two. */
  burst: (on) =>
    Promise.all(
      newEvents(on)
        .flatMap((one) => (one.isStamped ? [one, one] : one))
        .map((one) => postOne(on, one)),
    ),
  repeat: async (on) => {
    if (repeatable(on.workspace).length === 0) return;
    const sent = pick(repeatable(on.workspace), on.draw[1]);
    await (on.draw[2]! % 2 === 0 ? postOne(on, sent) : postSeveral(on, [sent]));
  },
  refused: (on) => {
    const contact_uid = contactOf(on.workspace, on.draw[1]);
    const bodies = [
      {},
      { contact_uid },
      { contact_uid: "", event_uid: "a" },
      [],
      "text",
      { contact_uid, event_uid: 1 },
    ];
    return asks(on, "POST", pathOf(on, "event"), { body: pick(bodies, on.draw[2]) }, 400);
  },
  past: (on) => postSeveral(on, pastEvents(on), true),
  import: async (on) => {
    const again =
      on.draw[3]! % 3 === 0 ? on.state.imports.find(({ workspace }) => workspace === on.workspace.name) : undefined;
    const events = again?.marks.flatMap((mark) => on.workspace.events.get(mark) ?? []) ?? pastEvents(on);
    const file = again?.file ?? join(on.driver.folder, `events-${on.state.sent}.ndjson`);
    if (again === undefined) {
      const lines = events.map((event) => ({
        id: uuidOf(event.mark, "9"),
        received_at: event.received.from,
        occurred_at: model.trueTime(event) ?? null,
        account_uid: event.account ?? null,
        ...bodyOf(event),
      }));
      writeFileSync(file, lines.map((line) => JSON.stringify(line)).join("\n"));
      on.state.imports.push({ workspace: on.workspace.name, file, marks: events.map(({ mark }) => mark) });
    }
    await runs(on, "import", file);
    for (const event of events)
      model.send(on.state, on.workspace, { ...event, isImported: true, isAnonymous: false }, true);
  },
  record: async (on) => {
    const uid = contactOf(on.workspace, on.draw[0]);
    const accounts = on.draw[3]! % 2 ? [accountOf(on.draw[3])] : [];
    const told = { data: { name: `Name ${on.draw[1]} of ${uid}` }, archived: on.draw[2]! % 2 === 0 };
    const { status } = await asksAdmin(on, "PUT", `/v2/contacts?uid=${uid}`, { ...told, accounts }, 200);
    const person = model.tellOf(on.workspace, uid, accounts, status === 200 ? "there" : "perhaps");
    if (status === 200) Object.assign(person, told);
    else person.presence = "perhaps";
  },
  account: async (on) => {
    const [uid, data] = [accountOf(on.draw[0]), { name: `Acme ${on.draw[1]}` }];
    const { status } = await asksAdmin(on, "PUT", `/v2/accounts?uid=${uid}`, { data }, 200);
    on.workspace.accounts.set(uid, { data, presence: status === 200 ? "there" : "perhaps" });
  },
  deleteAccount: async (on) => {
    const uid = accountOf(on.draw[0]);
    if (on.workspace.accounts.get(uid)?.presence !== "there") return;
    await runs(on, "delete-record", "account", uid);
    on.workspace.accounts.delete(uid);
    for (const { accounts } of on.workspace.people.values()) accounts.delete(uid);
  },
  erase: (on) => eraseOne(on),
  anonymise: (on) => eraseOne(on, true),
  eraseMany: async (on) => {
    const { people } = on.workspace;
    const some = [...new Set(on.draw.slice(0, 3).map((at) => someoneOf(on.workspace, at)))];
    const uids = some.filter((uid) => people.get(uid)?.presence === "there");
    const file = join(on.driver.folder, "uids");
    writeFileSync(file, uids.join("\n"));
    const [, span] = await timed(() => runs(on, "erase", "--file", file));
    for (const uid of uids) model.erase(on.state, on.workspace, uid, around(span, on.state));
  },
  /** Somebody is erased while events of it come. */
  amid: async (on) => {
    const own = newEvents(on).map((event) => ({ ...event, contact: someoneOf(on.workspace, on.draw[0]) }));
    const { accounts, events } = on.workspace;
    const before = new Set(accounts.keys());
    await Promise.all([
      ...own.slice(2).map((event) => postOne(on, event)),
      eraseOne(on),
      postSeveral(on, own.slice(0, 2)),
    ]);
    // One that is answered, and erased, has made the record of its account where it was stored before.
    const isStored = (uid: string) =>
      own.some(({ mark, account }) => account === uid && events.get(mark)?.presence === "there");
    for (const [uid, made] of accounts) if (!before.has(uid) && !isStored(uid)) made.presence = "perhaps";
  },
  leaveOut: async (on) => {
    const { leftOut } = on.workspace;
    // Whoever is left out of all figures is taken in again.
    const isBack = on.draw[2]! % 2 === 0 && leftOut.size > 0;
    const any = on.draw[1]! % 2 ? `account:${accountOf(on.draw[0])}` : `contact:${someoneOf(on.workspace, on.draw[0])}`;
    const one = isBack ? pick([...leftOut], on.draw[0]) : any;
    const [kind, uid] = one.split(":") as ["account" | "contact", string];
    const id = await idOf(on.driver, on.workspace, kind, uid);
    if (id === undefined) return;
    if (isBack) await untilCounted(on);
    const { status } = await asksAdmin(
      on,
      isBack ? "DELETE" : "PUT",
      `/v2/numbers/${kind}s/${id}/left-out`,
      undefined,
      200,
    );
    if (status === 200) leftOut[isBack ? "delete" : "add"](one);
  },
  /** Who follows reads on, while something is sent. */
  follow: async (on) => {
    const { state, driver, workspace, draw } = on;
    if (state.followers.length < 3) state.followers.push(model.newFollower(workspace));
    if (draw[2]! % 2 === 0) return followAll(state, driver);
    const reading = async (): Promise<void> => {
      for (const follower of [...state.followers, ...state.followers])
        await followPage(state, driver, follower, 1 + (draw[1]! % 7));
    };
    await Promise.all([reading(), ...newEvents(on).map((event) => postOne(on, event))]);
  },
  archive: async ({ state, driver }) => {
    const folder = `${driver.folder}/archive-${state.archives}`;
    const run = () => must(driver.command("archive", folder, "--now"));
    await run();
    for (const workspace of living(state)) model.archive(workspace);
    if (!living(state).some(({ hasArchive }) => hasArchive)) return;
    // What is not settled yet, as some transaction is open, comes with the next run.
    await soon(driver.patience, () =>
      requireArchived(state, folder).catch((error) => run().then(() => Promise.reject(error))),
    );
    await must(driver.command("archive", folder, "--check"));
  },
  retention: async (on) => {
    const days = 1 + (on.draw[0]! % 60);
    const [, { from, to }] = await timed(() => runs(on, "delete-events", "--older-than", String(days), "--yes"));
    const past = dayOf(to - days * DAY, on.workspace.zone);
    if (past > (on.workspace.past ?? "")) on.workspace.past = past;
    for (const event of model.present(on.workspace)) {
      event.isOld = event.received.from <= to - days * DAY;
      if (event.isOld) event.presence = event.received.to < from - days * DAY ? "gone" : "perhaps";
    }
  },
  deleteNamed: async (on) => {
    const name = pick(NAMES, on.draw[0]);
    await runs(on, "delete-events", "--name", name, "--yes");
    for (const event of on.workspace.events.values())
      if (event.name === name)
        Object.assign(event, { presence: "gone", isOld: event.isOld && event.presence === "gone" });
  },
  dump: async ({ state, driver }) => {
    const file = `${driver.folder}/${state.sent}.dump`;
    await must(driver.command("dump", file));
    state.dumps.push({ file, state: model.snapshot(state) });
  },
  restore: async (on) => {
    if (on.state.dumps.length === 0) return;
    const dump = pick(on.state.dumps, on.draw[2]);
    const list = on.draw[1]! % 3 > 0 ? ["--erasures", await listErasures(on.driver)] : [];
    await must(on.driver.moveOn((next) => on.driver.commandAt(next, "restore", dump.file, ...list)));
    model.restore(on.state, dump.state, list.length > 0);
  },
  move: ({ driver }) => must(driver.moveOn((next) => driver.command("move-to", next))),
  workspace: async (on) => {
    const { state, driver, draw } = on;
    if (draw[1]! % 3 === 0 && on.workspace.name !== "default") {
      await must(driver.command("workspace", "delete", on.workspace.name, "--yes"));
      model.removeWorkspace(state, on.workspace);
    } else if (state.workspaces.size < 4) {
      const workspace = model.newWorkspace(`shop-${state.workspaces.size}`, pick(ZONES, draw[0]));
      await must(driver.command("workspace", "create", workspace.name));
      await must(driver.command("workspace", "zone", workspace.name, workspace.zone));
      for (const kind of KINDS_OF_TOKEN) await addToken({ ...on, workspace }, kind, `${kind}-token`);
      state.workspaces.set(workspace.name, workspace);
    }
  },
  zone: async (on) => {
    const zone = pick(ZONES, on.draw[0]);
    const { status } = await asksAdmin(on, "PUT", "/v2/numbers/time-zone", { time_zone: zone }, 200);
    if (status === 200) on.workspace.zone = zone;
  },
  token: async (on) => {
    const { draw } = on;
    const workspace = on.workspace.name === "default" ? living(on.state).at(-1)! : on.workspace;
    if (workspace.name === "default") return;
    const [name, tokens] = pick(
      [...workspace.tokens].filter(([, all]) => all.some(({ holds }) => holds)),
      draw[0],
    );
    const [{ kind }, days] = [tokens[0]!, draw[1]! % 3];
    if (days === 2) {
      await runs({ ...on, workspace }, "token", "revoke", name);
      for (const token of tokens) token.holds = false;
      return addToken({ ...on, workspace }, kind, `${kind}-${workspace.tokens.size}`);
    }
    const { out } = await runs({ ...on, workspace }, "token", "rotate", name, "--keep", String(days));
    if (days === 0) for (const token of tokens) token.holds = false;
    tokens.push({ kind, text: out.trim(), holds: true });
    await isFollowed(on, kind, out.trim());
  },
  restart: ({ driver }) => driver.restart(),
  second: ({ driver }) => driver.second(),
  /** The release that follows, with its tables, or this one again: in place of the other, or beside it. */
  release: ({ driver, draw }) => driver.changeRelease!(draw[0]! % 2 === 0),
  slow: ({ driver, draw }) => driver.slow(50 + (draw[0]! % 400)),
  clock: async ({ state, driver, draw }) => {
    state.skew = pick([0, 500, -4_000, 90_000, -400_000, 0], draw[0]);
    await driver.setClock(state.skew);
  },
};

/** What breaks while events and an erasure are under way. */
for (const kind of FAULTS)
  KINDS[kind] = async (on) => {
    const { driver, draw } = on;
    const breaking = pause(draw[1]! % 300).then(() => driver.fault!(kind, draw[1]!));
    const own = someoneOf(on.workspace, draw[0]);
    const sending = newEvents(on)
      .filter(({ contact }) => contact !== own)
      .map((event) => postOne(on, event));
    await Promise.all([breaking, ...sending, ...(draw[2]! % 2 === 0 ? [eraseOne(on, draw[3]! % 3 === 0)] : [])]);
    await driver.heal();
  };

/** With a wrong clock others wait, or are refused. */
const BY_ANY_CLOCK = "event several burst repeat refused past record account erase anonymise leaveOut slow clock".split(
  " ",
);

/** The list of erasures of a database, as an operator keeps it. */
export const listErasures = async ({ folder, command }: Driver): Promise<string> => {
  const list = join(folder, "erasures");
  writeFileSync(list, (await must(command("audit", "--erasures"))).out);
  return list;
};

/** The files have each event once, and nobody who was erased. */
const requireArchived = async (state: State, folder: string): Promise<void> => {
  const found = (await eventsInFiles(folder, ", workspace")).map((row) => [
    String(row.workspace),
    JSON.parse(String(row.params)).mark,
  ]);
  for (const { name, events, archived } of living(state)) {
    const isSure = (mark: string) => events.get(mark)?.presence !== "perhaps" && !events.get(mark)?.mayRepeat;
    const own = found.flatMap(([workspace, mark]) => (workspace === name ? mark! : []));
    expectSame(`the files of ${name}`, own.filter(isSure).sort(), [...archived].filter(isSure).sort());
  }
};

export const expectSame = (what: string, told: unknown, wanted: unknown): void => {
  if (isDeepStrictEqual(told, wanted)) return;
  const text = (value: unknown) => inspect(value, { depth: 9, maxArrayLength: 200, breakLength: 160 });
  throw new Error(`${what}: is ${text(told)}\nand must be ${text(wanted)}`);
};

/** Reads a page behind a cursor. @returns whether there was anything */
const followPage = async (state: State, driver: Driver, follower: Follower, limit: number): Promise<boolean> => {
  const token = tokenOf(state.workspaces.get(follower.workspace)!, "access");
  const { status, body } = await driver.ask("GET", `/v2/events?after=${follower.place}&limit=${limit}`, { token });
  if (isAway(status)) return false;
  // What was behind a dump is no more: it begins anew.
  if (status === 410) return Boolean(Object.assign(follower, model.newFollower({ name: follower.workspace })));
  if (status !== 200) throw new Error(`who follows is answered with ${status}: ${JSON.stringify(body)}`);
  if (follower.isLost) throw new Error("who has followed further than a dump is not told of its restore");
  for (const { id, settled, params } of body.data) {
    if (!settled || id <= follower.place)
      throw new Error(`${id} is told behind ${follower.place}, settled: ${settled}`);
    follower.ids.add(id);
    follower.marks.add(params.mark);
    follower.place = id;
  }
  return body.data.length > 0;
};

/** Reads on to the end: each event that is there comes once, in the order of ids. */
export const followAll = async (state: State, driver: Driver): Promise<void> => {
  for (const follower of state.followers)
    await soon(driver.patience, async () => {
      while (await followPage(state, driver, follower, 100));
      const token = tokenOf(state.workspaces.get(follower.workspace)!, "access");
      const { status, body } = await driver.ask("GET", "/v2/events?limit=10000", { token });
      const missed = isAway(status) ? ["all"] : body.data.filter(({ id }: { id: string }) => !follower.ids.has(id));
      expectSame("what who follows has missed", missed, []);
    });
};

/** An arbitrary for steps of a kind. */
export const stepOf = (name: string): fc.Arbitrary<Step> =>
  fc.array(fc.nat(999), { minLength: 5, maxLength: 5 }).map((draw) => ({
    run: async (state, driver) => {
      if (state.skew === 0 || BY_ANY_CLOCK.includes(name))
        await KINDS[name]!({ state, driver, workspace: pick(living(state), draw[4]), draw });
    },
    toString: () => `${name}(${draw})`,
  }));
