import { type Browser, chromium } from "playwright";
import { findEngines } from "../../test/support/engines.js";

/** Arguments of every Chromium here: no sandbox (containers), no GPU, nothing that talks to the network by itself. */
export const CHROMIUM_ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Names of other hosts for the site: plain http without a secure context, and another site than the service's.
  "--host-resolver-rules=MAP *.test 127.0.0.1",
];

/** Starts the Chromium that is installed, without the test runner. */
export const launchChromium = (): Promise<Browser> =>
  chromium.launch({
    args: CHROMIUM_ARGS,
    executablePath: findEngines().chromium?.path ?? chromium.executablePath(),
  });
