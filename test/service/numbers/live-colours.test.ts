/** Which names have a line of their own in the chart of the live page, and which are "2 more". */
import { expect, it } from "vitest";

const PAGE = new URL("../../../src/service/numbers/page/live/", import.meta.url);

it.each([
  ["seconds", true],
  ["minutes", false],
])("With more names in an hour than colours, a new one has its own among %s: %s", async (scale, has) => {
  const [{ createModel }, { createColours }] = await Promise.all(
    ["model.js", "colours.js"].map((file) => import(new URL(file, PAGE).href)),
  );
  const [model, colours, now] = [createModel(), createColours(), Date.now()];
  const arrive = (event_uid: string, ago: number) => {
    model.add({ id: event_uid, event_uid, received_at: now - ago });
    colours.claim(event_uid, (name: string) => model.has(name, scale));
  };
  for (const name of ["a", "b", "c", "d", "e", "f"]) arrive(name, 600_000);
  arrive("new", 0);
  expect(colours.has("new")).toBe(has);
});
