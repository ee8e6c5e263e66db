import { digest } from "../../src/service/base/exact-text.js";
import { viewOf } from "../../src/service/base/params.js";
import type { NewEvent } from "../../src/service/ingest/store/event-rows.js";
import { RECORDS, seededRandom } from "./records.js";

const [HOUR, DAY] = [3_600_000, 86_400_000];
const SEED = 20_260_101;
/** Days of which events are made: more than three spans of 30, so that each figure of the first page has one to compare with. */
export const MADE_DAYS = 100;
/** Events of a working day, more or less, and of another one. */
const [BUSY, QUIET] = [120, 35];
const SITE = "https://app.example";

const NAMES = ["document_opened", "report_exported", "search", "colleague_invited", "plan_chosen"];
const PATHS = ["/", "/documents", "/reports", "/pricing", "/docs/start", "/settings"];
const REFERRERS = ["search.example", "news.example", "partner.example"];

/** Some accounts do less lately than before, or nothing: by their places in the list, and from how many days ago. */
const FADING = { fourth: { at: 3, days: 7, part: 0 }, seventh: { at: 6, days: 8, part: 0.3 } };

/** The first of a list comes up most. */
const oftenFirst = <T>(list: readonly T[], random: () => number): T => list[Math.floor(random() ** 2 * list.length)]!;

/**
 * Events of the last days, as the demo's visitors might have made them; the same ones each time, with `"made":true` in their params.
 *
 * @param now in epoch milliseconds
 */
export const makeEvents = (now: number): NewEvent[] => {
  const random = seededRandom(SEED);
  const today = now - (now % DAY);
  return Array.from({ length: MADE_DAYS }, (_, at) => MADE_DAYS - 1 - at).flatMap((ago) => {
    const start = today - ago * DAY;
    const isWeekend = [0, 6].includes(new Date(start).getUTCDay());
    const many = Math.round((isWeekend ? QUIET : BUSY) * (0.85 + 0.3 * random()) * (1 - ago / 300));
    return Array.from({ length: many }, (_, number): NewEvent | undefined => {
      const { uid, accounts } = oftenFirst(RECORDS.visitors, random);
      const account = accounts[Math.floor(random() * accounts.length)]!.uid;
      const isView = random() < 0.6;
      const [path, name, referrer] = [PATHS, NAMES, REFERRERS].map((list) => oftenFirst(list, random)) as [
        string,
        string,
        string,
      ];
      const comes = random() < 0.2 && { referrer };
      // From seven to nineteen o'clock.
      const receivedAt = Math.round(start + 7 * HOUR + (random() + random()) * 6 * HOUR);
      const stays = random();
      const isGone = Object.values(FADING).some(
        ({ at, days, part }) => account === RECORDS.visitors[at]!.accounts[0]!.uid && ago < days && stays >= part,
      );
      if (isGone || receivedAt > now) return undefined;
      const params = { account_uid: account, ...(isView && { visit_url: SITE + path, ...comes }), made: true };
      return {
        workspace: "default",
        contactUid: uid,
        accountUid: account,
        eventUid: isView ? "pageview" : name,
        ...viewOf(isView ? "pageview" : name, params),
        params: JSON.stringify(params),
        stamp: undefined,
        occurredAt: undefined,
        receivedAt,
        originId: digest(`made:${ago}:${number}`),
      };
    }).filter((event) => event !== undefined);
  });
};
