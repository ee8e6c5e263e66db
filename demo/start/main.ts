import { StartError } from "../../src/service/base/start-error.js";
import { countMade, fillFolder, removeMade } from "../records/fill.js";
import { MADE_DAYS, makeEvents } from "../records/made-events.js";
import { createSite } from "../site/server.js";
import { createServiceSwitch } from "./service-switch.js";
import {
  checkBuild,
  type Ports,
  placeOfData,
  readCommand,
  readSettings,
  restartCommand,
  type Settings,
} from "./settings.js";

const banner = (settings: Settings, site: string, service: string, pid: number | undefined): string => `
  tracklet demo

    Site          ${site}
    Live page     ${site}/live.html
    Numbers       ${service}/#span=30d  (asks for the access token)
                  ${MADE_DAYS} days of made events, which the site's first page takes out; new ones count a minute later
    Service       ${service}  (process ${pid})
    API token     ${settings.apiToken}
    Access token  ${settings.accessToken}
    Admin token   ${settings.adminToken}  (asked for on the page of a contact, which can be erased there)
    Data          ${placeOfData(settings)}

  Try this

    1  Open the site and follow its six steps, with the live page beside it.
    2  Or do it from a terminal: end the service by kill -9 ${pid}, click on, reload: the events wait in the browser.
       Start it by ${restartCommand(settings, service)}: they arrive, once.
    3  ${readCommand(settings, service)}, in another terminal, does what a server can do:
       it looks up accounts, contacts and users, and sends an event.
    4  Paste this into a page of your own, on this computer only, open it, and see its page view on the live page
       (browsers let no page on the internet ask for a service on this computer):

       <script async src="${service}/numbers/lib.js" data-api-token="${settings.apiToken}"
         data-track-url="${service}" data-contact-uid="me" data-referrer></script>

    5  If it is not to be seen, this bookmark opens the inspector on your page, which says why
       (${service}/ has it as a link, to be dragged to the bookmarks bar):

       javascript:void import("${service}/inspector.js?" + Date.now())

  Ctrl-C stops everything and keeps the data.
`;

const farewell = (settings: Settings): string => `
  Ended: site and service are stopped, and nothing listens any more.
  Kept: all events and records, in ${placeOfData(settings)}. npm start goes on with them${settings.databaseUrl ? "" : "; to begin anew, delete that folder"}.
`;

/**
 * Starts the service as a process of its own, and the demo site on another origin.
 *
 * @param tell says what is being done
 */
export const startDemo = async (
  ports: Ports,
  tell: (what: string, run: () => Promise<void>) => Promise<void>,
): Promise<void> => {
  const closers: (() => unknown)[] = [];
  const settings = readSettings(ports);
  let ended = false;
  const end = async (code: number, complaint?: string) => {
    if (ended) return;
    ended = true;
    if (complaint) console.error(complaint);
    for (const close of closers.reverse()) await close();
    if (!complaint) console.log(farewell(settings));
    process.exit(code);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void end(0));

  try {
    checkBuild(settings);
    const service = createServiceSwitch(settings);
    const site = await createSite({
      dist: settings.dist,
      values: () => ({
        serviceUrl: service.address(),
        apiToken: settings.apiToken,
        restartCommand: restartCommand(settings, service.address()),
      }),
      accessToken: settings.accessToken,
      service: service.forPages,
      ...(settings.databaseUrl === "" && {
        made: { count: () => countMade(settings.data), remove: () => removeMade(settings.data) },
      }),
    });
    closers.push(() => site.close());
    const siteUrl = await site.listen({ host: "127.0.0.1", port: settings.sitePort }).catch((error) => {
      throw new StartError(`The site cannot be opened (${error.message}): choose another port in TRACKLET_SITE_PORT.`);
    });
    if (ended) return;

    closers.push(service.stop);
    await tell("Starting the service; the first start creates its database", async () => {
      await service.start();
      // The records of the demo are for a database of its own.
      if (settings.databaseUrl === "") await fillFolder(settings.data, makeEvents(Date.now()));
    });
    console.log(banner(settings, siteUrl, service.address(), service.pid()));
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    await end(1, text.split("\n", 1)[0]);
  }
};
