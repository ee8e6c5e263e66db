import { type Driver, OWN, soon } from "./driver.js";
import {
  accountsOf,
  dayOf,
  numbersOf,
  pageOf,
  referrerOf,
  returningOf,
  stepsFrom,
  stepsOf,
  toldNumbers,
} from "./figures.js";
import { isCounted, living, present, type State, tellOf, type Workspace } from "./state.js";
import { contactsOf, expectSame, followPage, idOf, isAway, paramsOf, tokenOf } from "./steps.js";

/** What must hold whenever it is asked, by the interface alone. @param chance decides what is looked at where not all is */
export type Property = (state: State, driver: Driver, chance: number) => Promise<void>;

const get = async (driver: Driver, workspace: Workspace, path: string) => {
  let answer = await driver.ask("GET", path, { token: tokenOf(workspace, "access") });
  // Whatever was broken, it is answered again within a minute.
  for (const end = performance.now() + 60_000; isAway(answer.status) && performance.now() < end; )
    answer = await driver.ask("GET", path, { token: tokenOf(workspace, "access") });
  if (answer.status !== 200)
    throw new Error(
      `GET ${path} of ${workspace.name} is answered with ${answer.status}: ${JSON.stringify(answer.body)}`,
    );
  return answer.body;
};

/** What was answered with 200 is there, once where it has a stamp, as it was sent; what is gone is not. */
const stored: Property = async (state, driver) => {
  for (const workspace of living(state)) {
    const { data: rows } = await get(driver, workspace, "/v2/events?limit=10000");
    const ids = rows.map(({ id }: { id: string }) => id);
    expectSame("the order of the list", ids, ids.toSorted());
    const found = new Map<string, Record<string, unknown>[]>();
    for (const row of rows) found.set(row.params.mark, [...(found.get(row.params.mark) ?? []), row]);
    for (const mark of found.keys())
      if (!workspace.events.has(mark)) throw new Error(`${workspace.name} has ${mark}, which nobody has sent there`);
    for (const event of workspace.events.values()) {
      const own = found.get(event.mark) ?? [];
      const what = `${event.mark} of ${event.contact} in ${workspace.name}`;
      if (own.length > 1 && !event.mayRepeat) throw new Error(`${what} is there ${own.length} times`);
      if (event.presence === "there" && own.length === 0) throw new Error(`${what} was stored, and is lost`);
      if (event.presence === "gone" && own.length > 0) throw new Error(`${what} is there, and must be gone`);
      if (own.length > 0 && event.presence === "perhaps" && !event.isAnonymous)
        tellOf(workspace, event.contact, event.account === undefined ? [] : [event.account], "there");
      event.presence = own.length > 0 ? "there" : "gone";
      if (own.length !== 1) continue;
      const { received_at, occurred_at, contact_uid, account_uid, event_uid, params } = own[0]!;
      const at = Number(received_at);
      if (at < event.received.from || at > event.received.to)
        throw new Error(
          `${what} was received at ${at}, and was sent between ${event.received.from} and ${event.received.to}`,
        );
      event.received = { from: at, to: at };
      expectSame(`the name of ${what}`, event_uid, event.name);
      if (event.isAnonymous) {
        expectSame(`what is left of ${what}`, [params, account_uid, occurred_at], [{ mark: event.mark }, null, null]);
        if (!String(contact_uid).startsWith("anonymous-")) throw new Error(`${what} is still of ${contact_uid}`);
        continue;
      }
      const { occurred } = event;
      const isTrue = occurred !== undefined && occurred >= at - 30 * 86_400_000 && occurred <= at + 86_400_000;
      expectSame(
        what,
        [contact_uid, account_uid, occurred_at],
        [event.contact, event.account ?? null, isTrue ? occurred : null],
      );
      expectSame(`the params of ${what}`, params, paramsOf(event));
    }
  }
};

/** Contacts, accounts and memberships are what was told of them. */
const records: Property = async (state, driver) => {
  for (const workspace of living(state)) {
    for (const uid of contactsOf(workspace)) {
      const { status, body } = await driver.ask("GET", `/v2/contacts?uid=${uid}`, {
        token: tokenOf(workspace, "access"),
      });
      const person = workspace.people.get(uid);
      if (person?.presence === "perhaps") {
        if (status === 404) workspace.people.delete(uid);
        else Object.assign(person, { data: body.data, archived: body.archived, presence: "there" });
        continue;
      }
      expectSame(`the contact ${uid}`, status, person === undefined ? 404 : 200);
      if (person === undefined) continue;
      const { data, archived, accounts } = body;
      expectSame(
        `the contact ${uid}`,
        { data, archived, total: accounts.total },
        { data: person.data, archived: person.archived, total: person.accounts.size },
      );
    }
    for (const [uid, account] of workspace.accounts) {
      const { status, body } = await driver.ask("GET", `/v2/accounts?uid=${uid}`, {
        token: tokenOf(workspace, "access"),
      });
      if (account.presence === "perhaps") {
        if (status === 404) workspace.accounts.delete(uid);
        else Object.assign(account, { data: body.data, presence: "there" });
        continue;
      }
      expectSame(`the account ${uid}`, status, 200);
      const members = [...workspace.people.values()].filter(({ accounts }) => accounts.has(uid)).length;
      expectSame(
        `the account ${uid}`,
        { data: body.data, total: body.contacts.total },
        { data: account.data, total: members },
      );
    }
  }
};

/** What was erased or deleted is in no row of any table. */
const erased: Property = async (state, driver) => {
  const tables = await driver.everyRow();
  for (const workspace of state.workspaces.values()) {
    const marks = [...workspace.events.values()].filter(({ presence }) => presence === "gone").map(({ mark }) => mark);
    const isOf = new Set(
      [...workspace.events.values()]
        .filter(({ presence, isAnonymous }) => presence !== "gone" && !isAnonymous)
        .map(({ contact }) => contact),
    );
    const uids = contactsOf(workspace).filter((uid) => !workspace.people.has(uid) && !isOf.has(uid));
    for (const [table, text] of Object.entries(tables))
      for (const gone of [...marks, ...(workspace.exists ? uids : contactsOf(workspace))])
        if (text.includes(gone)) throw new Error(`${gone} of ${workspace.name} is gone, and is in ${table}`);
  }
};

const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** Of an account without a record the figures have its id alone. */
const withoutIds = (
  workspace: Workspace,
  of: "told" | "wanted",
  lines: string[],
  key: (line: string) => [string, (uid: string) => string],
) =>
  lines
    .map((line) => {
      const [uid, put] = key(line);
      return (of === "told" ? UUID.test(uid) : !workspace.accounts.has(uid)) ? put("?") : line;
    })
    .sort();
const byWord = (line: string): [string, (uid: string) => string] => {
  const [uid, ...rest] = line.split(" ");
  return [uid!, (other) => [other, ...rest].join(" ")];
};
const byMember = (line: string): [string, (uid: string) => string] => {
  const [uid, ...rest] = JSON.parse(line);
  return [uid, (other) => JSON.stringify([other, ...rest])];
};

/** Every figure is what a count anew says. */
const figures: Property = async (state, driver, chance) => {
  if (state.skew !== 0) return;
  for (const workspace of living(state)) {
    const { zone } = workspace;
    const events = present(workspace).filter((event) => isCounted(workspace, event));
    const some = events[chance % Math.max(1, events.length)];
    const spans = ["24h", "7d", "30d", "90d"];
    const day = dayOf(some?.received.from ?? Date.now(), zone);
    const count = 1 + (chance % 4);
    const end = new Date(Date.parse(day) + (count - 1) * 86_400_000).toISOString().slice(0, 10);
    const zoned = `time_zone=${encodeURIComponent(zone)}`;
    const asked: { when: string; steps: ReturnType<typeof stepsOf> }[] = [
      { when: `from=${day}&to=${end}&${zoned}`, steps: stepsFrom(day, count, zone) },
      { when: `span=${spans[chance % 4]}&${zoned}`, steps: stepsOf(spans[chance % 4]!, zone, Date.now()) },
    ];
    for (const { when, steps } of asked)
      await soon(driver.patience, async () => {
        const [wanted, answer] = [numbersOf(events, steps), await get(driver, workspace, `/v2/numbers?${when}`)];
        const told = toldNumbers(answer);
        for (const [one, of] of [
          [told, "told"],
          [wanted, "wanted"],
        ] as const) {
          one.fell = withoutIds(workspace, of, one.fell, byWord);
          one.busiest.data = withoutIds(workspace, of, one.busiest.data, byWord);
        }
        expectSame(`the figures of ${workspace.name} for ${when}`, told, wanted);
        expectSame(`the steps for ${when}`, [...answer.starts, answer.ends], steps.steps);
        const listed = await get(driver, workspace, `/v2/numbers/accounts?${when}&limit=1000`);
        const { data, ...counts } = accountsOf(workspace, steps);
        const lines = listed.data.map((one: Record<string, unknown>) =>
          JSON.stringify([
            one.unique_id,
            one.events,
            one.before,
            one.contacts,
            one.active_contacts,
            String(one.counts),
            String(one.counts_before),
          ]),
        );
        expectSame(
          `the accounts of ${workspace.name} for ${when}`,
          {
            active: listed.active,
            falling: listed.falling,
            silent: listed.silent,
            data: withoutIds(workspace, "told", lines, byMember),
          },
          { ...counts, data: withoutIds(workspace, "wanted", data, byMember) },
        );
      });
    for (const of of ["account", "contact"] as const)
      await soon(driver.patience, async () => {
        const { data } = await get(driver, workspace, `/v2/numbers/returning?of=${of}`);
        expectSame(`who comes back in ${workspace.name}`, data, returningOf(workspace, of, Date.now()));
      });
    if (some === undefined) continue;
    await filtered(workspace, driver, { some, events, ...asked[0]! });
    await ofOne(workspace, driver, some.contact);
  }
};

type Some = ReturnType<typeof present>[number];

/** Of a name, a page, a referrer, the events themselves are counted. */
const filtered = async (
  workspace: Workspace,
  driver: Driver,
  { some, events, when, steps }: { some: Some; events: Some[]; when: string; steps: ReturnType<typeof stepsOf> },
): Promise<void> => {
  const filters = {
    event_uid: (event: Some) => event.name,
    path: (event: Some) => pageOf(event)?.path,
    host: (event: Some) => pageOf(event)?.host || undefined,
    referrer: referrerOf,
  };
  for (const [name, of] of Object.entries(filters)) {
    const value = of(some);
    if (value === undefined) continue;
    const path = `/v2/numbers?${when}&${name}=${encodeURIComponent(value)}`;
    const told = toldNumbers(await get(driver, workspace, path));
    const wanted = numbersOf(
      events.filter((event) => of(event) === value),
      steps,
    );
    expectSame(`the figures of ${workspace.name} for ${path}`, told, wanted);
  }
};

/** A contact has all of its events, whether they count or not. */
const ofOne = async (workspace: Workspace, driver: Driver, contact: string): Promise<void> => {
  const id = await idOf(driver, workspace, "contact", contact);
  if (id === undefined) return;
  const own = present(workspace).filter((event) => event.contact === contact);
  const times = own.map(({ received }) => received.from);
  const one = await get(driver, workspace, `/v2/numbers/contacts/${id}`);
  const { events, first_seen_at, last_seen_at, memberships } = one;
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const accounts = workspace.people.get(contact)!.accounts.size;
  expectSame(
    `the contact ${contact}`,
    [events, first_seen_at, last_seen_at, memberships.total],
    [own.length, first, last, accounts],
  );
  const line: number[] = [];
  for (let before = ""; ; ) {
    const page = await get(driver, workspace, `/v2/numbers/contacts/${id}/events?limit=20${before}`);
    line.push(...page.data.map(({ received_at }: { received_at: number }) => received_at));
    if (page.next === null) break;
    before = `&before=${page.next}`;
  }
  expectSame(
    `the time line of ${contact}`,
    line,
    times.toSorted((a, b) => b - a),
  );
};

/** Who follows has each event that is there, once, in the order of ids. */
const cursor: Property = async (state, driver) => {
  if (state.skew !== 0) return;
  for (const follower of state.followers)
    await soon(driver.patience, async () => {
      while (await followPage(state, driver, follower, { limit: 100 }));
      const { data } = await get(driver, state.workspaces.get(follower.workspace)!, "/v2/events?limit=10000");
      const missed = data.filter(({ id }: { id: string }) => !follower.ids.has(id));
      if (missed.length > 0) throw new Error(`who follows has missed ${JSON.stringify(missed)}`);
    });
};

/** A token that does not hold, or is of another kind or workspace, sees and changes nothing. */
const tokens: Property = async (state, driver) => {
  const all = [...state.workspaces.values()];
  for (const { kind, text, holds } of all.flatMap((one) => [...one.tokens.values()].flat())) {
    if (holds) continue;
    // Processes follow within a moment.
    await soon(driver.patience, async () => {
      const reading = await driver.ask("GET", "/v2/events", { token: text });
      const sending = await driver.ask("POST", `/v1/track/event?api_token=${text}`, {
        body: { contact_uid: "thief", event_uid: "theft" },
      });
      const changing = await driver.ask("PUT", "/v2/contacts?uid=thief", { token: text, body: {} });
      const told = [reading, sending, changing].map(({ status }) => status);
      expectSame(`what the ${kind} token that does not hold is answered`, told, [401, 401, 401]);
    });
  }
  for (const workspace of living(state)) {
    const access = tokenOf(workspace, "access");
    const sending = await driver.ask("POST", `/v1/track/event?api_token=${access}`, {
      body: { contact_uid: "thief", event_uid: "theft" },
    });
    const changing = await driver.ask("PUT", "/v2/contacts?uid=thief", { token: access, body: {} });
    const reading = await driver.ask("GET", "/v2/events", { token: tokenOf(workspace, "api") });
    const told = [reading, sending, changing].map(({ status }) => status);
    expectSame("what tokens of another kind are answered", told, [401, 401, 401]);
  }
  const others = await driver.ask("GET", "/v2/events", { token: `${OWN.access}x` });
  expectSame("what a wrong token is answered", others.status, 401);
};

export const PROPERTIES = { stored, records, erased, figures, cursor, tokens };
export type PropertyName = keyof typeof PROPERTIES;

/** Asks for all of them; what is not known is settled by what is there first. */
export const requireAll: Property = async (state, driver, chance) => {
  for (const property of Object.values(PROPERTIES)) await property(state, driver, chance);
};

/** Asks for what is stored, and for another of them. */
export const requireSome: Property = async (state, driver, chance) => {
  const others = [records, erased, figures, cursor, tokens];
  await stored(state, driver, chance);
  await others[chance % others.length]!(state, driver, chance);
};
