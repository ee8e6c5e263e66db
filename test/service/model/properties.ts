import { type Driver, OWN, soon } from "./driver.js";
import * as count from "./figures.js";
import type { Event, State, Workspace } from "./state.js";
import * as model from "./state.js";
import { contactsOf, expectSame, followAll, idOf, isAway, paramsOf, tokenOf } from "./steps.js";

const { DAY, living, present } = model;

/** What must hold whenever it is asked, by the interface alone. @param chance decides what is looked at where not all is */
export type Property = (state: State, driver: Driver, chance: number) => Promise<void>;

// biome-ignore lint/suspicious/noExplicitAny: the form of each answer was looked at
type Told = Record<string, any>;

const get = async (driver: Driver, workspace: Workspace, path: string, ...also: number[]) => {
  const ask = () => driver.ask("GET", path, { token: tokenOf(workspace, "access") });
  let answer = await ask();
  // Whatever was broken, it is answered again within a minute.
  for (const end = performance.now() + 60_000; isAway(answer.status) && performance.now() < end; ) answer = await ask();
  if (![200, ...also].includes(answer.status!))
    throw new Error(
      `GET ${path} of ${workspace.name} is answered with ${answer.status}: ${JSON.stringify(answer.body)}`,
    );
  return answer.status === 200 ? answer.body : undefined;
};

/** An event as it is told is as it was sent. From now on the time of its receipt is known. */
const requireSame = (event: Event, told: Record<string, unknown>, what: string): void => {
  const { received_at, occurred_at, contact_uid, account_uid, event_uid, params } = told;
  const at = Number(received_at);
  if (at < event.received.from || at > event.received.to)
    throw new Error(
      `${what} was received at ${at}, and was sent between ${event.received.from} and ${event.received.to}`,
    );
  event.received = { from: at, to: at };
  const contact = event.isAnonymous ? String(contact_uid).replace(/^anonymous-.*/, event.contact) : contact_uid;
  const wanted = [event.name, event.contact, event.account ?? null, model.trueTime(event) ?? null, paramsOf(event)];
  expectSame(what, [event_uid, contact, account_uid, occurred_at, params], wanted);
};

/** What was answered with 200 is there, once where it has a stamp, as it was sent; what is gone is not. What is not known is settled by it. */
const stored: Property = async (state, driver) => {
  for (const workspace of living(state)) {
    const { data: rows } = await get(driver, workspace, "/v2/events?limit=10000");
    const ids = rows.map(({ id }: { id: string }) => id);
    expectSame("the order of the list", ids, ids.toSorted());
    const found = new Map<string, Record<string, unknown>[]>();
    for (const row of rows) found.set(row.params.mark, [...(found.get(row.params.mark) ?? []), row]);
    for (const mark of found.keys())
      if (!workspace.events.has(mark)) throw new Error(`${workspace.name} has ${mark}, which nobody has sent there`);
    for (const last of workspace.events.values()) {
      const own = found.get(last.mark) ?? [];
      const contact = String(own[0]?.contact_uid);
      const event =
        last.mayBeAnonymous && contact.startsWith("anonymous-") ? model.anonymous(last, contact, workspace.zone) : last;
      workspace.events.set(event.mark, event);
      const what = `${event.mark} of ${event.contact} in ${workspace.name}`;
      if (own.length > 1 && !event.mayRepeat) throw new Error(`${what} is there ${own.length} times`);
      if (event.presence === "there" && own.length === 0) throw new Error(`${what} was stored, and is lost`);
      if (event.presence === "gone" && own.length > 0) throw new Error(`${what} is there, and must be gone`);
      if (own.length > 0 && event.presence === "perhaps" && !event.isAnonymous)
        model.tellOf(workspace, event.contact, event.account === undefined ? [] : [event.account], "there");
      event.presence = own.length > 0 ? "there" : "gone";
      if (own.length === 1) requireSame(event, own[0]!, what);
    }
  }
};

/** Contacts, accounts and memberships are what was told of them. What is not known is settled by it. */
const records: Property = async (state, driver) => {
  for (const workspace of living(state)) {
    const { people, accounts, leftOut } = workspace;
    const toldOf = new Map<string, Awaited<ReturnType<typeof get>>>();
    for (const uid of accounts.keys()) toldOf.set(uid, await get(driver, workspace, `/v2/accounts?uid=${uid}`, 404));
    const uidOf = new Map([...toldOf].map(([uid, told]) => [told?.id, uid]));
    const left = (await get(driver, workspace, "/v2/numbers/left-out")).data;
    for (const uid of contactsOf(workspace)) {
      const told = await get(driver, workspace, `/v2/contacts?uid=${uid}`, 404);
      const own = told?.accounts.data.map(({ id }: { id: string }) => uidOf.get(id) ?? id);
      const person = people.get(uid);
      if (person?.presence !== "perhaps") {
        const wanted = person && [person.data, person.archived, [...person.accounts].sort()];
        expectSame(`the contact ${uid}`, told && [told.data, told.archived, own.sort()], wanted);
        continue;
      }
      if (told === undefined) people.delete(uid);
      else people.set(uid, { data: told.data, archived: told.archived, accounts: new Set(own), presence: "there" });
      const isLeftOut = left.some((one: { unique_id: string }) => one.unique_id === uid);
      leftOut[isLeftOut ? "add" : "delete"](`contact:${uid}`);
    }
    for (const [uid, account] of accounts) {
      const told = toldOf.get(uid);
      const members = [...people.values()].filter((one) => one.accounts.has(uid)).length;
      if (account.presence !== "perhaps")
        expectSame(`the account ${uid}`, told && [told.data, told.contacts.total], [account.data, members]);
      else if (told === undefined) accounts.delete(uid);
      else Object.assign(account, { data: told.data, presence: "there" });
    }
  }
};

/** What was erased or deleted is in no row of any table. */
const erased: Property = async (state, driver) => {
  const tables = Object.entries(await driver.everyRow()).map(([name, rows]) => [name, rows.join()] as const);
  for (const workspace of state.workspaces.values()) {
    const events = [...workspace.events.values()];
    const isThere = (uid: string) =>
      workspace.people.has(uid) || events.some(({ contact, presence }) => contact === uid && presence !== "gone");
    const marks = events.filter(({ presence }) => presence === "gone").map(({ mark }) => mark);
    const uids = contactsOf(workspace).filter((uid) => !workspace.exists || !isThere(uid));
    for (const gone of [...marks, ...uids])
      for (const [name, text] of tables)
        if (text.includes(gone)) throw new Error(`${gone} of ${workspace.name} is gone, and is in ${name}`);
  }
};

/** Lines begin with a uid. Of one without a record the figures have its id alone, or the name that chance has given it. */
const known = (records: Map<string, unknown>, lines: unknown[][]) =>
  lines.map(([uid, ...line]) => [records.has(String(uid)) ? uid : "?", ...line]).sort();

/** Every figure is what a count anew says; of all questions a third at a time, as histories differ by more than questions. */
const figures: Property = async (state, driver, chance) => {
  if (state.skew !== 0) return;
  let question = chance;
  for (const workspace of living(state)) {
    const { zone, past, accounts, people } = workspace;
    const events = present(workspace).filter((event) => model.isCounted(workspace, event));
    const some = events[chance % Math.max(1, events.length)];
    const span = ["24h", "7d", "30d", "90d"][chance % 4]!;
    const [day, length] = [count.dayOf(some === undefined ? Date.now() : count.timeOf(some), zone), 1 + (chance % 4)];
    const end = new Date(Date.parse(day) + (length - 1) * DAY).toISOString().slice(0, 10);
    const times = [
      { asked: `from=${day}&to=${end}`, of: () => count.daysFrom(day, length, zone, Date.now()) },
      { asked: `span=${span}`, of: () => count.spanOf(span, zone, Date.now()) },
    ].filter(({ of }) => past === undefined || of().from > past);
    /** Asks until what is told is what must be. */
    const asks = async (path: string, compare: (answer: Told, same: typeof expectSame) => unknown): Promise<void> => {
      const same: typeof expectSame = (what, is, must) =>
        expectSame(`${what} of ${workspace.name} for ${path} in ${zone}`, is, must);
      if (question++ % 3 === 0)
        await soon(driver.patience, async () => {
          await compare(await get(driver, workspace, `/v2/numbers${path}`), same);
        });
    };
    // Of days that are past by retention it is not known here when a name came last.
    const namesAre = (same: typeof expectSame, told: object, wanted: unknown[][], isOfAll = false) => {
      const [is, must] = [count.toldNames(told, isOfAll), wanted.map((one) => one.slice(0, isOfAll ? 5 : 3))].map(
        (all) => (past === undefined ? all : all.filter(([, events]) => events > 0)),
      );
      same("the names", is, must);
    };
    const compare = (asked: string, own: Event[], of: () => count.When) =>
      asks(`?${asked}`, async (answer, same) => {
        const isOfAll = !/&(event_uid|path|host|referrer|account)=/.test(asked);
        // When a record began is not known here.
        const began = isOfAll && (await get(driver, workspace, `/v2/numbers/accounts?${asked}&show=new&limit=1000`));
        const news = began ? began.data.map((one: Told) => one.unique_id) : [];
        const [told, wanted] = [count.toldNumbers(answer), count.numbersOf(own, of())].map((one) => ({
          ...one,
          fell: known(accounts, one.fell),
          rose: known(
            accounts,
            one.rose.filter(([uid]: unknown[]) => !news.includes(uid)),
          ),
          busiest: { ...one.busiest, data: known(accounts, one.busiest.data) },
        }));
        same("the figures", told, wanted);
        if (isOfAll || asked.includes("&account=")) namesAre(same, answer.events, count.namesOf(own, of()), isOfAll);
      });
    for (const { asked, of } of times) {
      await compare(asked, events, of);
      for (const [kind, records] of [["accounts", accounts] as const, ["contacts", people] as const]) {
        // Of days that are past by retention it is not known here who was seen last on one.
        const uid = past === undefined ? [...records.keys()][0]?.toLowerCase() : undefined;
        for (const search of [undefined, uid].slice(0, uid === undefined ? 1 : 2))
          await asks(`/${kind}?${asked}&limit=1000&search=${encodeURIComponent(search ?? "")}`, (answer, same) => {
            const [is, must] = [count.toldList(answer), count.listOf(workspace, kind, of(), search)].map((one) => ({
              ...one,
              data: known(records, one.data),
              ...(past !== undefined && { silent: undefined, call: undefined }),
            }));
            same(`the ${kind}`, is, must);
          });
      }
    }
    // Of days that are past by retention the totals alone are told, which are not known here.
    for (const of of past === undefined ? (["account", "contact"] as const) : [])
      await asks(`/returning?of=${of}`, ({ data }, same) =>
        same("who comes back", data, count.returningOf(workspace, of, Date.now())),
      );
    if (some === undefined) continue;
    await ofOne(driver, workspace, some.contact);
    const id = await idOf(driver, workspace, "contact", some.contact);
    for (const { asked, of } of id === undefined ? [] : times)
      await asks(`/contacts/${id}?${asked}`, ({ figures }, same) => {
        const own = events.filter(({ contact }) => contact === some.contact);
        namesAre(same, figures.events, count.namesOf(own, of()));
        const { total, before, others } = figures.events;
        const wanted = count.numbersOf(own, of()).events;
        same("the events", [total, before, others.counts], [wanted.total, wanted.before, wanted.others]);
      });
    const [time] = times.filter(({ asked }) => asked.startsWith("from"));
    if (time === undefined) continue;
    for (const [name, of] of Object.entries(FILTERS)) {
      const uid = of(some);
      const value = uid && name === "account" ? await idOf(driver, workspace, "account", uid) : uid;
      if (value === undefined) continue;
      const own = events.filter((event) => of(event) === uid);
      await compare(`${time.asked}&${name}=${encodeURIComponent(value)}`, own, time.of);
    }
    const name = encodeURIComponent(some.name);
    const lines = (data: Told[], ...members: string[]) => data.map((one) => members.map((member) => one[member]));
    await asks(`?${time.asked}&event_uid=${name}`, ({ without, last, people: who, contacts }, same) => {
      const { data, ...sums } = count.withoutOf(events, time.of(), { name: some.name, kind: "accounts" });
      const idle = known(accounts, lines(without.data, "key", "events"));
      const is = { of: without.of, total: without.total, last, data: idle };
      same(`the accounts without ${some.name}`, is, { ...sums, data: known(accounts, data) });
      const did = events.filter((event) => event.name === some.name);
      const doers = count.doersOf(did, time.of(), "contacts");
      const now = doers.filter(([, now]) => now > 0);
      const fell = doers.filter(([, now, before]) => now < before);
      const told = [who.data, who.fell].map((data) => known(people, lines(data, "key", "events", "before")));
      same(
        `the people with ${some.name}`,
        [...told, contacts.total],
        [...[now, fell].map((all) => known(people, all)), now.length],
      );
    });
    await asks(`/contacts?${time.asked}&limit=1000&without=${name}`, ({ active, data: idle }, same) => {
      const { of, data } = count.withoutOf(events, time.of(), { name: some.name, kind: "contacts" });
      const is = [active, known(people, lines(idle, "unique_id", "events"))];
      same(`the people without ${some.name}`, is, [of, known(people, data)]);
    });
    const names = [...new Set(events.filter(({ contact }) => contact === some.contact).map(({ name }) => name))];
    const steps = [...names, ...names].slice(0, 2 + (chance % 4));
    const query = ["first", "second", "third", "fourth", "fifth"].flatMap((one, at) =>
      steps[at] === undefined ? [] : `${one}=${encodeURIComponent(steps[at])}`,
    );
    await asks(`/steps?${time.asked}&within=3&${query.join("&")}`, ({ data }, same) => {
      const isWithin = (date: string) => date >= day && date <= end;
      const begins = (event: Event) => isWithin(count.dayOf(count.timeOf(event), zone));
      const wanted = count.stepsOf(events, steps, { begins, within: 3 });
      const told = data.map(({ stopped, open: _, ...one }: Told) => ({ ...one, stopped: lines(stopped, "unique_id") }));
      const [is, must] = [told, wanted].map((all: Told[]) =>
        all.map((one) => ({ ...one, stopped: known(people, one.stopped) })),
      );
      same("the steps", is, must);
    });
  }
};

/** Of these the events themselves are counted. */
const FILTERS: Record<string, (event: Event) => string | undefined> = {
  event_uid: ({ name }) => name,
  path: (event) => count.pageOf(event)?.path,
  host: (event) => count.pageOf(event)?.host || undefined,
  referrer: count.referrerOf,
  account: ({ account }) => account,
};

/** A contact has all of its events, whether they count or not. */
const ofOne = async (driver: Driver, workspace: Workspace, contact: string): Promise<void> => {
  const id = await idOf(driver, workspace, "contact", contact);
  if (id === undefined) return;
  const own = present(workspace).filter((event) => event.contact === contact);
  const happened = own.map(count.timeOf).toSorted((a, b) => a - b);
  const { events, first_seen_at, last_seen_at, memberships } = await get(
    driver,
    workspace,
    `/v2/numbers/contacts/${id}`,
  );
  const wanted = [own.length, happened[0], happened.at(-1), workspace.people.get(contact)!.accounts.size];
  expectSame(`the contact ${contact}`, [events, first_seen_at, last_seen_at, memberships.total], wanted);
  const line: Record<string, number>[] = [];
  for (let before: string | null = ""; before !== null; ) {
    const page = await get(driver, workspace, `/v2/numbers/contacts/${id}/events?limit=20${before}`);
    line.push(...page.data);
    before = page.next && `&before=${page.next}`;
  }
  expectSame(
    `the time line of ${contact}`,
    [line.map((one) => one.received_at), line.map((one) => one.happened_at!).toSorted((a, b) => a - b)],
    [own.map(({ received }) => received.from).toSorted((a, b) => b - a), happened],
  );
};

/** Who follows has each event that is there, once, in the order of ids. */
const cursor: Property = async (state, driver) => {
  if (state.skew === 0) await followAll(state, driver);
};

/** A token that does not hold, or is of another kind, sees and changes nothing; processes follow within a moment. */
const tokens: Property = async (state, driver) => {
  const refuses = (what: string, reading: string, sending: string, changing: string) =>
    soon(driver.patience, async () => {
      const body = { contact_uid: "thief", event_uid: "theft" };
      const answers = [
        await driver.ask("GET", "/v2/events", { token: reading }),
        await driver.ask("POST", `/v1/track/event?api_token=${sending}`, { body }),
        await driver.ask("PUT", "/v2/contacts?uid=thief", { token: changing, body: {} }),
      ];
      expectSame(
        `what ${what} is answered`,
        answers.map(({ status }) => status),
        [401, 401, 401],
      );
    });
  for (const { kind, text, holds } of [...state.workspaces.values()].flatMap((one) => [...one.tokens.values()].flat()))
    if (!holds) await refuses(`an ${kind} token that does not hold`, text, text, text);
  for (const workspace of living(state)) {
    const access = tokenOf(workspace, "access");
    await refuses("a token of another kind", tokenOf(workspace, "api"), access, access);
  }
  await refuses("a wrong token", `${OWN.access}x`, `${OWN.api}x`, `${OWN.admin}x`);
};

/** All of them. */
export const requireAll: Property = async (state, driver, chance) => {
  // Who reads on to the end waits until all is settled: from then on figures are those of the sums.
  state.followers.push(model.newFollower(living(state)[0]!));
  for (const property of [stored, records, erased, tokens, cursor, figures]) await property(state, driver, chance);
};

/** Where a step has left open what was done, it is known from then on. */
export const requireKnown = async (state: State, driver: Driver): Promise<void> => {
  const all = living(state).flatMap(({ events, people, accounts }) => [
    ...events.values(),
    ...people.values(),
    ...accounts.values(),
  ]);
  if (!all.some(({ presence }) => presence === "perhaps")) return;
  await stored(state, driver, 0);
  await records(state, driver, 0);
};

/** What is stored, and another of them. */
export const requireSome: Property = async (state, driver, chance) => {
  await stored(state, driver, chance);
  await records(state, driver, chance);
  await [erased, figures, cursor, tokens][chance % 4]!(state, driver, chance);
};
