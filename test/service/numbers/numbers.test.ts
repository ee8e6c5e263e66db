import { afterAll, beforeAll, expect, it } from "vitest";
import { readWhen } from "../../../src/service/days/calendar.js";
import { AT_ONCE } from "../support/bounds.js";
import { DAY, usePlace } from "../support/fixtures.js";
import { type RunningService, startService, until } from "../support/service.js";

const place = usePlace();
let service: RunningService;
const ask = async (query = "", token?: string) =>
  service.get(`/v2/numbers${query}`, ...(token === undefined ? [] : [{ authorization: `Bearer ${token}` }]));
beforeAll(async () => {
  service = await startService({ ...place, bounds: AT_ONCE });
});
afterAll(() => service.stop());

it("tell when the first and the last event came, if there was one", async () => {
  const none = { first_on: null, last_event_at: null, events: { total: 0 } };
  expect(await (await ask()).json()).toMatchObject(none);
  const began = Date.now();
  expect((await service.post({ contact_uid: "anna", event_uid: "signed_up" })).status).toBe(200);
  const numbers = await until(async () => {
    const numbers = await (await ask()).json();
    const isDone = numbers.events.total > 0 && numbers.counted_to > numbers.last_event_at;
    return isDone && numbers.counted_back_to === null ? numbers : undefined;
  });
  expect(new Date(began).toISOString()).toContain(numbers.first_on);
  expect(numbers.last_event_at).toBeGreaterThanOrEqual(began);
});

it("are refused without the token, and for a span that there is not; a time zone is ignored, and that is said", async () => {
  for (const [query, token, status, error] of [
    ["", "wrong", 401, /access token is wrong/],
    ["?span=1y", undefined, 400, /span/],
  ] as const) {
    const answer = await ask(query, token);
    expect(answer.status).toBe(status);
    expect((await answer.json()).error).toMatch(error);
  }
  const answer = await ask("?time_zone=Mars/Base");
  expect(answer.headers.get("warning")).toBe('299 - "time_zone is ignored: days are those of UTC"');
  expect(await answer.json()).toMatchObject({ time_zone: "UTC", counted_back_to: null, events_since: null });
  expect((await ask()).headers.get("warning")).toBe(null);
});

it.each<[zone: string, day: string, hours: number]>([
  ["Europe/Berlin", "2026-03-29", 23],
  ["Europe/Berlin", "2026-10-25", 25],
  // Clocks are set at midnight: there is none.
  ["America/Santiago", "2026-09-06", 23],
  ["Africa/Cairo", "2026-04-24", 23],
  // At midnight it is 23 o'clock again.
  ["America/Santiago", "2026-04-04", 25],
  ["Africa/Cairo", "2026-10-29", 25],
  // There is a midnight at one o'clock, too.
  ["Atlantic/Azores", "2026-03-29", 23],
  ["Atlantic/Azores", "2026-10-25", 25],
  ["Australia/Lord_Howe", "2026-04-05", 24.5],
  ["Australia/Lord_Howe", "2026-10-04", 23.5],
  ["America/St_Johns", "2026-11-01", 25],
  ["Asia/Kathmandu", "2026-05-09", 24],
])("count the days of %s from their first moment to their last: %s has %d hours", (zone, day, hours) => {
  const { starts, ends } = readWhen({ span: "7d" }, zone, Date.parse(day) + 3.5 * DAY);
  const steps = [...starts, ends];
  const shown = (time: number) => new Date(time).toLocaleDateString("sv", { timeZone: zone });
  const days = [-3, -2, -1, 0, 1, 2, 3, 4].map((at) => new Date(Date.parse(day) + at * DAY).toISOString().slice(0, 10));
  expect(steps.map(shown)).toEqual(days);
  expect(steps.slice(1).map((end) => shown(end - 1))).toEqual(days.slice(0, -1));
  expect(steps.slice(1).map((end, at) => (end - steps[at]!) / (DAY / 24))).toEqual([24, 24, 24, hours, 24, 24, 24]);
});
