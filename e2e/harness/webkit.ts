import { setTimeout as sleep } from "node:timers/promises";
import { Script } from "node:vm";
import { findMiniBrowser, findProgram } from "../../test/support/engines.js";
import { type Launched, launch } from "../../test/support/launch.js";
import { freePort } from "../../test/support/ports.js";
import { waitFor } from "../../test/support/wait.js";
import { commandMs } from "./strain.js";
import type { Open, Tab } from "./tab.js";

/*
 * WebKitGTK, which Playwright does not drive, by its own driver and the W3C's WebDriver protocol. One session at a time:
 * each is a browser of its own with an empty storage.
 */

export type WebKit = Awaited<ReturnType<typeof startWebKit>>;

/** Milliseconds that the driver may take to start a browser, which takes one or two seconds, and how often it may try. */
const START_MS = 30_000;
const STARTS = 3;
/** Milliseconds that a script in a page may take. */
const SCRIPT_MS = 120_000;
/** The member by which WebDriver names an element (W3C WebDriver §11). */
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

/** An expression of a text, which may also be statements: of those, the value is not looked at. A policy may forbid `eval`. */
const ofText = (text: string): string => {
  try {
    new Script(`(${text}\n)`);
    return `(${text}\n)`;
  } catch {
    return `(() => {${text}\n})()`;
  }
};

/** Starts a display that nobody sees, and the driver on it. */
export const startWebKit = async (driverPath: string) => {
  const screen = "-displayfd 1 -screen 0 1600x1000x24 -nolisten tcp".split(" ");
  const display: Launched = launch(findProgram("Xvfb")!, screen);
  const [number] = await display.says(/^\d+$/m);
  let port: number;
  let driver: Launched;

  const call = async <T = unknown>(method: "GET" | "POST" | "DELETE", path: string, body?: object): Promise<T> => {
    if (commandMs) await sleep(commandMs);
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const { value } = (await answer.json()) as { value: { error?: string; message?: string } };
    if (!answer.ok) throw new Error(`${value.error}: ${value.message}`);
    return value as T;
  };
  const startDriver = async (): Promise<void> => {
    port = await freePort();
    // Where the system names no language the browser calls its own "C", which `Intl` refuses.
    const env = { LC_ALL: "en_US.UTF-8", DISPLAY: `:${number}` };
    driver = launch(driverPath, [`--port=${port}`], { env });
    await waitFor(() => call("GET", "/status").catch(() => undefined), { what: "WebKit's driver to answer" });
  };
  await startDriver();

  /** Starts a browser. Once in about 200 times the driver waits for ever for the one that it has started; another driver helps. */
  const startBrowser = async (attempt = 1): Promise<string> => {
    const alwaysMatch = {
      browserName: "MiniBrowser",
      acceptInsecureCerts: true,
      "webkitgtk:browserOptions": { binary: findMiniBrowser(), args: ["--automation"] },
      timeouts: { script: SCRIPT_MS },
    };
    const begun = await Promise.race([
      call<{ sessionId: string }>("POST", "/session", { capabilities: { alwaysMatch } }),
      sleep(START_MS, undefined, { ref: false }),
    ]);
    if (begun) return begun.sessionId;
    if (attempt === STARTS) throw new Error(`WebKit's driver has started no browser, asked ${STARTS} times`);
    await driver.end();
    await startDriver();
    return startBrowser(attempt + 1);
  };

  /** Begins a session. Commands concern one window, which is chosen before each: they come one after the other. */
  const begin = async () => {
    const session = `/session/${await startBrowser()}`;
    let last: Promise<unknown> = Promise.resolve();
    const inTurn = <T>(action: () => Promise<T>): Promise<T> => {
      const done = last.then(action);
      last = done.catch(() => {});
      return done;
    };

    const tabOf = (handle: string): Tab => {
      const inside = <T>(action: () => Promise<T>): Promise<T> =>
        inTurn(async () => {
          await call("POST", `${session}/window`, { handle });
          return action();
        });
      const evaluate = async (code: string | ((arg: unknown) => unknown), arg?: unknown): Promise<unknown> => {
        // What is nothing would come as null.
        const expression = typeof code === "string" ? ofText(code) : `(${code})(arguments[0])`;
        const script = `return Promise.resolve(${expression}).then((value) => (value === undefined ? [] : [value]))`;
        const args = arg === undefined ? [] : [arg];
        const [value] = await inside(() => call<unknown[]>("POST", `${session}/execute/sync`, { script, args }));
        return value;
      };
      return {
        goto: async (url: string) => {
          await inside(() => call("POST", `${session}/url`, { url }));
          return null;
        },
        evaluate: evaluate as Tab["evaluate"],
        click: (selector) =>
          inside(async () => {
            const query = { using: "css selector", value: selector };
            const element = await call<Record<string, string>>("POST", `${session}/element`, query);
            await call("POST", `${session}/element/${element[ELEMENT]}/click`, {});
          }),
        reload: async () => {
          await inside(() => call("POST", `${session}/refresh`, {}));
          return null;
        },
        // Its window is no narrower than 447 px.
        setViewportSize: (size) => inside(async () => void (await call("POST", `${session}/window/rect`, size))),
        close: () => inside(async () => void (await call("DELETE", `${session}/window`))),
      };
    };

    const [first] = await call<string[]>("GET", `${session}/window/handles`);
    const open: Open = async (url) => {
      // From the first window, which stays: a session ends with its last. A "tab" would stay hidden.
      const { handle } = await inTurn(async () => {
        await call("POST", `${session}/window`, { handle: first });
        return call<{ handle: string }>("POST", `${session}/window/new`, { type: "window" });
      });
      const tab = tabOf(handle);
      await tab.goto(url);
      return tab;
    };
    return { open, end: () => call("DELETE", session) };
  };

  return {
    begin,
    close: async (): Promise<void> => {
      await driver.end("SIGTERM");
      await display.end("SIGTERM");
    },
  };
};
