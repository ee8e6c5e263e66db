import { test as base } from "playwright/test";
import type { RecordedEvent } from "tracklet/test";

/** Tests with `events`: what the page has sent to the service, which is not asked. */
export const test = base.extend<{ events: RecordedEvent[] }>({
  events: async ({ page }, use) => {
    const events: RecordedEvent[] = [];
    await page.route("https://track.example.com/**", (route) => {
      events.push(route.request().postDataJSON());
      return route.fulfill({ status: 200, headers: { "Access-Control-Allow-Origin": "*" } });
    });
    await use(events);
  },
});
