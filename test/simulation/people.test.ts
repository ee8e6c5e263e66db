/** Whose an event is, and what the visitor allows, in several tabs (design §3.9, §3.11). */
import { describe, expect, it } from "vitest";
import type { Journal } from "./journal.js";
import { inScenario, missing, trackMany } from "./scenario.js";

const SECOND = 1_000;
const NOBODY = { contactUid: undefined as never };

/** Contact and account of each event, in the order of tracking. */
const owners = ({ world, entries }: Journal): string[] =>
  [...entries.keys()].map((name) => {
    const { contact_uid, params } = JSON.parse(world.sent.findLast((sent) => sent.name === name)?.body ?? "{}");
    return `${contact_uid} ${params?.account_uid}`;
  });
const times = (count: number, owner: string): string[] => Array(count).fill(owner);

describe("two tabs of one person in two accounts", () => {
  it("each report their own", () =>
    inScenario(async (journal) => {
      const a = await journal.open(NOBODY);
      await journal.identify(a, "alice", "acme");
      const b = await journal.open(NOBODY);
      await journal.identify(b, "alice", "globex");
      await journal.world.clock.advance(SECOND);
      await trackMany(journal, a, { count: 50 });
      await trackMany(journal, b, { count: 50 });
      await journal.world.clock.advance(60 * SECOND);
      expect(owners(journal)).toEqual([...times(50, "alice acme"), ...times(50, "alice globex")]);
    }));
});

describe("events before anybody is named", () => {
  it("get contact and account", () =>
    inScenario(async (journal) => {
      const page = await journal.open(NOBODY);
      await trackMany(journal, page, { count: 3 });
      await journal.world.clock.advance(SECOND);
      await journal.identify(page, "alice", "acme");
      await journal.world.clock.advance(60 * SECOND);
      expect(owners(journal)).toEqual(times(3, "alice acme"));
    }));
  it("get them from another tab as well", () =>
    inScenario(async (journal) => {
      const page = await journal.open(NOBODY);
      const other = await journal.open(NOBODY);
      await trackMany(journal, page, { count: 3 });
      await journal.identify(other, "alice", "acme");
      await journal.world.clock.advance(60 * SECOND);
      expect(owners(journal)).toEqual(times(3, "alice acme"));
    }));
  it("are sent once, although another page takes their silent page for dead", () =>
    inScenario(async (journal) => {
      const { world, service } = journal;
      service.latency = () => 2 * SECOND;
      const page = await journal.open(NOBODY);
      await trackMany(journal, page, { count: 3 });
      await world.clock.advance(60 * SECOND);
      await journal.identify(page, "alice");
      await journal.open({ contactUid: "alice" });
      await world.clock.advance(60 * SECOND);
      expect([...journal.entries.values()].map(({ stored }) => stored)).toEqual([1, 1, 1]);
    }));
  it("wait on where the storage was emptied: nobody is named any more", () =>
    inScenario(async (journal) => {
      const { world, service } = journal;
      const former = await journal.open();
      await journal.reset(former);
      await journal.identify(former, "alice");
      service.weather = "unavailable";
      await journal.track(former);
      await world.clock.advance(SECOND);
      await journal.clear(former);
      const page = await journal.open(NOBODY);
      await journal.track(page);
      await world.clock.advance(60 * SECOND);
      service.weather = "up";
      await world.clock.advance(400 * SECOND);
      expect(owners(journal)).toEqual(["alice undefined", "undefined undefined"]);
    }));
  it("are hers for good, although she logs out before they can be sent", () =>
    inScenario(async (journal) => {
      const page = await journal.open(NOBODY);
      await journal.world.clock.advance(SECOND);
      journal.service.weather = "refused";
      await trackMany(journal, page, { count: 5 });
      await journal.world.clock.advance(SECOND);
      await journal.identify(page, "alice", "acme");
      await journal.world.clock.advance(SECOND);
      await journal.reset(page);
      await journal.identify(page, "bob");
      journal.service.weather = "up";
      await journal.world.clock.advance(60 * SECOND);
      expect(owners(journal)).toEqual(times(5, "alice acme"));
      expect(page.problems).toEqual([]);
    }));
  it("are dropped by a reset in all tabs, and nobody gets them", () =>
    inScenario(async (journal) => {
      const page = await journal.open(NOBODY);
      const other = await journal.open(NOBODY);
      await trackMany(journal, page, { count: 3 });
      await journal.world.clock.advance(SECOND);
      await journal.reset(other);
      await journal.identify(other, "bob");
      await journal.world.clock.advance(60 * SECOND);
      expect(journal.world.names()).toEqual([]);
      expect(journal.world.stored()).toEqual([]);
    }));
});

describe("a page in the back/forward cache while somebody else logs in", () => {
  it.each([true, false])("mixes nobody up (visible before pageshow: %s)", (isVisibleFirst) =>
    inScenario(async (journal) => {
      const { world, service } = journal;
      service.weather = "refused";
      const hers = await journal.open(NOBODY);
      await journal.identify(hers, "alice", "acme");
      await trackMany(journal, hers, { count: 3 });
      await world.clock.advance(SECOND);
      await journal.freeze(hers);
      const his = await journal.open(NOBODY);
      await journal.reset(his);
      await journal.identify(his, "bob");
      await trackMany(journal, his, { count: 2 });
      await world.clock.advance(SECOND);
      await journal.freeze(his);
      await journal.restore(hers, isVisibleFirst);
      await trackMany(journal, hers, { count: 2 });
      await world.clock.advance(SECOND);
      service.weather = "up";
      await world.clock.advance(120 * SECOND);
      expect(missing([...journal.entries.values()])).toEqual([]);
      expect(owners(journal)).toEqual([...times(3, "alice acme"), ...times(4, "bob undefined")]);
    }),
  );
  it("drops what the page had for nobody", () =>
    inScenario(async (journal) => {
      const { world } = journal;
      const first = await journal.open(NOBODY);
      await trackMany(journal, first, { count: 3 });
      await journal.freeze(first);
      const his = await journal.open(NOBODY);
      await journal.reset(his);
      await journal.identify(his, "bob");
      await world.clock.advance(SECOND);
      await journal.freeze(his);
      await journal.restore(first, true);
      await world.clock.advance(60 * SECOND);
      expect(world.names()).toEqual([]);
    }));
});

describe("a refusal in one tab while another is left", () => {
  it.each([true, false])("leaves nothing stored but itself (refused first: %s)", (isFirst) =>
    inScenario(async (journal) => {
      const { world, service } = journal;
      service.weather = "refused";
      const leaving = await journal.open();
      const page = await journal.open();
      await trackMany(journal, leaving, { count: 5 });
      await world.clock.advance(SECOND);
      if (isFirst) await journal.choose(page, "denied");
      await journal.hide(leaving);
      if (!isFirst) await journal.choose(page, "denied");
      await journal.leave(leaving, { restMs: 30 });
      await world.clock.advance(SECOND);
      expect(world.stored()).toEqual([]);
      expect(Object.keys(world.storage.rows)).toHaveLength(1);
    }),
  );
});
