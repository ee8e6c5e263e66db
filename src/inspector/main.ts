/**
 * Opens the inspector: a panel that says what a tracker on this page does. Loaded by hand; loaded again, by an address with
 * another query, it opens anew.
 */

import { addressOf } from "./address.js";
import { copyText } from "./copy.js";
import { listen } from "./listen.js";
import { createLooks } from "./looks.js";
import { focusPanel, openPanel } from "./panel.js";
import { createScriptCheck } from "./script.js";
import { takeSnapshot } from "./snapshot.js";
import { readStored } from "./stored.js";
import { findNames, findTag, globalOf } from "./trackers.js";
import { textOf, viewOf } from "./view.js";

const SEND_MS = 5_000;

const open = (name: string): void => {
  const names = findNames();
  if (!names.includes(name)) names.push(name);

  const {
    activity,
    listener,
    find,
    doubt,
    end: stop,
  } = listen(name, addressOf(findTag(name)?.dataset), () => looks.soon());
  const see = () => {
    const stored = readStored(name);
    doubt(stored);
    return viewOf(takeSnapshot(name, listener, !!activity.options), stored, activity);
  };
  const checkScript = createScriptCheck((reason) => {
    activity.script = reason;
    looks.soon();
  });
  const close = (): void => {
    looks.end();
    stop();
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
    // Without the query, which may hold a secret of the page.
    copy: () => copyText(textOf(see(), name, location.origin + location.pathname)),
    close,
  });
  const looks = createLooks(() => {
    find();
    if (!isLoaded(name)) checkScript(findTag(name));
    panel.show(see());
  });
  looks.start();
};

const isLoaded = (name: string): boolean => {
  const found = globalOf(name);
  return !!found && !Array.isArray(found);
};

/** Which one, where there are several: `?tracklet_inspect=name`. */
const asked = new URLSearchParams(location.search).get("tracklet_inspect");
if (!focusPanel()) open(asked || findNames()[0]!);
