import type { Page } from "playwright/test";

/** The README's examples with this site's addresses and token in the place of the invented ones. */
export const localise = (code: string, apiToken: string, trackUrl: string): string =>
  code
    .replaceAll("https://cdn.example.com/", "/dist/")
    .replaceAll("https://track.example.com", trackUrl)
    .replaceAll("YOUR_API_TOKEN", apiToken);

/** Puts the places of a test into a recipe; each of those that it shows must be there. */
export const place = (recipe: string, shown: Record<string, string>): string => {
  let text = recipe;
  for (const [example, real] of Object.entries(shown)) {
    if (!text.includes(example)) throw new Error(`the recipe does not show ${example}`);
    text = text.replaceAll(example, real);
  }
  return text;
};

/** Runs statements in the page, in one task. */
export const run = (page: Page, statements: string): Promise<void> => page.evaluate(`{${statements}}; undefined`);

/** Waits until the snippet has taken the global over: what is tracked from now on is in the queue when the call returns. */
export const loaded = (page: Page, name = "tracklet") =>
  page.waitForFunction((global) => "flush" in ((window as never)[global] ?? []), name);

/** Has the page's current URL judged, whether it is a view, which else happens once it has stood for a while. */
export const judge = async (page: Page): Promise<void> => {
  await loaded(page);
  await run(page, "tracklet.flush({ timeoutMs: 0 })");
};
