import type { BrowserContext } from "playwright/test";

/**
 * Takes the wall clock of a browser's pages in hand: `Date.now()` and `new Date()` run as ever, but as far ahead or behind
 * as is asked for. Timers and `performance.now()` keep to the real time, as in a browser whose user sets the clock.
 */
export const controlClock = async (context: BrowserContext) => {
  await context.addInitScript(() => {
    const host = window;
    const now = Date.now.bind(Date);
    Date.now = () => now() + (host.clockOffset ?? 0);
    window.Date = new Proxy(Date, {
      construct: (target, args, made) => Reflect.construct(target, args.length > 0 ? args : [target.now()], made),
    });
  });

  return {
    /** Sets the clock so many milliseconds ahead of the real time (behind it: negative), in all pages, open and to come. */
    shift: async (offset: number): Promise<void> => {
      const set = (value: number) => {
        window.clockOffset = value;
      };
      await context.addInitScript(set, offset);
      for (const page of context.pages()) await page.evaluate(set, offset);
    },
  };
};
