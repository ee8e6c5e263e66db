/**
 * Opens the inspector: a panel that says what a tracker on this page does. Loaded by hand; loaded again, by an address with
 * another query, it opens anew.
 */

import { isGood } from "./answer.js";
import { consentOf } from "./consent.js";
import { nextAttempt } from "./delivery.js";
import { findingsOf } from "./findings.js";
import { findNames, findTag, globalOf } from "./found.js";
import { type Heard, listen } from "./heard.js";
import { focusPanel, openPanel, type View } from "./panel.js";
import { look, type Seen } from "./seen.js";
import { readStored, type Stored } from "./stored.js";

/** How often the storage is looked at, in milliseconds. */
const LOOK_MS = 500;
/** Lines of each list. */
const LINES = 8;
const SEND_MS = 5_000;

const time = (at: number): string => new Date(performance.timeOrigin + at).toLocaleTimeString();

const viewOf = (seen: Seen, stored: Stored, heard: Heard): View => ({
  findings: findingsOf(seen, stored, heard),
  facts: [
    ["Contact", stored.contact || "nobody is identified"],
    ["Account", stored.account || "none"],
    ["Consent", consentOf(seen, stored, heard)],
    ["Service", heard.address || "no request yet"],
    ["Next attempt", nextAttempt(seen, stored, heard)],
  ],
  lists: [
    {
      title: `Waiting: ${stored.eventCount}`,
      empty: "No event waits.",
      items: stored.events
        .slice(0, LINES)
        .map(({ event, contact }) => [event, contact ? `of ${contact}` : "of nobody yet"]),
    },
    {
      title: "Last answers",
      empty: "No answer yet.",
      items: heard.answers
        .slice(0, LINES)
        .map(({ at, status, event }) => [
          `${time(at)} ${event || "before this panel"}`,
          status > 0 ? `${isGood(status) ? "stored, " : ""}${status}` : "no answer",
          isGood(status) ? "good" : "bad",
        ]),
    },
    {
      title: "Page views since this panel was opened",
      empty: "None yet.",
      items: heard.views.slice(0, LINES).map(({ at, url }) => [url, time(at)]),
    },
  ],
});

/** Where the tag says that the service is. */
const addressOf = (name: string): string => {
  try {
    const trackUrl = findTag(name)?.dataset.trackUrl;
    return trackUrl ? new URL(trackUrl, location.href).href : "";
  } catch {
    return "";
  }
};

const open = (name: string): void => {
  const names = findNames();
  if (!names.includes(name)) names.push(name);
  let end = (): void => {};
  const close = (): void => {
    end();
    panel.remove();
  };
  const panel = openPanel({
    names,
    name,
    choose: (other) => {
      close();
      open(other);
    },
    send: () => void globalOf(name)?.flush?.({ timeoutMs: SEND_MS }),
    close,
  });
  const show = (): void => panel.show(viewOf(look(name), readStored(name), heard));
  const { heard, find, end: stop } = listen(name, addressOf(name), () => show());
  const timer = setInterval(() => {
    find();
    show();
  }, LOOK_MS);
  end = () => {
    clearInterval(timer);
    stop();
  };
  show();
};

/** Which one, where there are several: `?tracklet_inspect=name`. */
const asked = new URLSearchParams(location.search).get("tracklet_inspect");
if (!focusPanel()) open(asked || findNames()[0]!);
