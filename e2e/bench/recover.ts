import type { Page } from "playwright";
import { waitFor } from "../../test/support/wait.js";
import { createGuard } from "../harness/guard.js";
import { launchBrowser } from "../harness/launch.js";
import { lasting } from "../harness/outage.js";
import { type FaultProxy, startProxy } from "../harness/proxy.js";
import { killPage } from "../harness/tab.js";
import { names, trackMany } from "../harness/track.js";
import type { Stage } from "./stage.js";
import { table } from "./table.js";

const TRIES = 4;
const EVENTS = 30;
/** How long a service answers nothing, preflights included. Seconds. */
const HANGS = [10, 30, 60];
/** Ends what would last for ever. Milliseconds. */
const LIMIT_MS = 90_000;

/** Waits until all of these events of a contact are stored. Resolves to the seconds that it took, and what is wrong with it. */
const storedAfter = async ({ service }: Stage, contact: string, uids: string[]): Promise<string> => {
  const start = performance.now();
  const rows = async () => (await service.rows(contact)).map(({ event_uid }) => event_uid);
  await waitFor(async () => new Set(await rows()).size >= uids.length, { timeoutMs: LIMIT_MS, everyMs: 50 }).catch(
    () => {},
  );
  const seconds = ((performance.now() - start) / 1_000).toFixed(1);
  const stored = await rows();
  const missing = uids.length - new Set(stored).size;
  const repeated = stored.length - new Set(stored).size;
  return [seconds, missing && `(${missing} missing)`, repeated && `(${repeated} twice)`].filter(Boolean).join(" ");
};

interface Scene {
  page: Page;
  contact: string;
  gateway: FaultProxy;
}

/** A page with a gateway of its own, so that all scenarios, which mostly wait, run side by side. */
const visited = async (stage: Stage, use: (scene: Scene) => Promise<string>): Promise<string> => {
  const contact = `contact-${crypto.randomUUID()}`;
  const gateway = await startProxy({ target: () => stage.service.url, keepConnections: true });
  try {
    const tag = { ...stage.tag(gateway.url), contactUid: contact };
    return await stage.visitTracked(tag, (page) => use({ page, contact, gateway }));
  } finally {
    await gateway.close();
  }
};

/** A tab whose process dies while its requests are open, beside a tab that goes on. */
const crash = (stage: Stage): Promise<string> =>
  visited(stage, async ({ page, contact, gateway }) => {
    const own = await launchBrowser(createGuard(), { executablePath: stage.executablePath });
    try {
      const [other, crashing] = [own.page, await own.context.newPage()];
      for (const tab of [other, crashing]) await tab.goto(page.url());
      await gateway.fail("hang");
      const uids = await trackMany(crashing, EVENTS, "crash");
      await gateway.waitForPosts(1);
      await gateway.heal();
      await killPage(crashing);
      return await storedAfter(stage, contact, uids);
    } finally {
      await own.dispose();
    }
  });

/** The page's events of the whole time are counted from the end of the hang; it has sent one before, or none. */
const hang = (stage: Stage, seconds: number, isFresh: boolean): Promise<string> =>
  visited(stage, async ({ page, contact, gateway }) => {
    const uids = names("first", isFresh ? 0 : 1);
    if (!isFresh) {
      await trackMany(page, 1, "first");
      await storedAfter(stage, contact, uids);
    }
    await gateway.fail({ connection: "hang", preflight: "fault" });
    uids.push(...(await trackMany(page, EVENTS, "hang")));
    await lasting(seconds * 1_000);
    await gateway.heal();
    return storedAfter(stage, contact, uids);
  });

/** Seconds until the last of 30 events is stored. */
export const benchRecovery = async (stage: Stage): Promise<string> => {
  const scenarios: [string, (stage: Stage) => Promise<string>][] = [
    ["a crashed tab's, by another open tab", crash],
    ...HANGS.flatMap((seconds): [string, (stage: Stage) => Promise<string>][] => [
      [`after ${seconds} s of hanging, from the page's start`, (stage) => hang(stage, seconds, true)],
      [`after ${seconds} s of hanging, in its middle`, (stage) => hang(stage, seconds, false)],
    ]),
  ];
  const rows: string[][] = [["seconds until 30 events are stored", ...Array.from({ length: TRIES }, () => "")]];
  await Promise.all(
    scenarios.map(async ([name, scenario], index) => {
      const tries: string[] = [];
      for (let i = 0; i < TRIES; i++) tries.push(await scenario(stage));
      rows[index + 1] = [name, ...tries];
    }),
  );
  return table(rows);
};
