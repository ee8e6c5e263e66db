import { expect, test } from "../harness/fixtures.js";

/*
 * A page may hold anything: what the script calls may throw, return nonsense, or never answer, from the beginning or from a
 * later moment on. Nothing of that may come out of the script.
 */

/** What the script calls, as the page reaches it. */
const GLOBALS = `
  JSON.stringify JSON.parse Date.now Math.random Object.keys Object.getPrototypeOf Reflect.get window.setTimeout
  window.clearTimeout window.requestAnimationFrame window.queueMicrotask window.fetch window.URL window.Blob
  window.TextEncoder window.encodeURIComponent window.unescape console.warn performance.now crypto.randomUUID
  navigator.sendBeacon AbortSignal.timeout EventTarget.prototype.addEventListener Document.prototype.querySelector
  Storage.prototype.getItem history.pushState
`
  .trim()
  .split(/\s+/);
/** What the script reads. */
const MEMBERS = `
  window.localStorage window.navigation window.history window.crypto window.performance Document.prototype.hidden
  Document.prototype.currentScript Navigator.prototype.onLine Request.prototype.keepalive
`
  .trim()
  .split(/\s+/);
const WAYS: Record<string, string> = {
  throws: `() => { throw new Error("broken by the page"); }`,
  "returns nonsense": `() => "nonsense"`,
  "never answers": `() => new Promise(() => {})`,
};
/** Script that breaks the global for whoever is called from now on; the page's own words are saved before. */
const breaking = (name: string, way: string): string => {
  const [owner, member] = [name.slice(0, name.lastIndexOf(".")), name.slice(name.lastIndexOf(".") + 1)];
  const descriptor = MEMBERS.includes(name) ? `{ get: ${way}` : `{ value: ${way}, writable: true`;
  return `<script>Object.defineProperty(${owner}, "${member}", ${descriptor}, configurable: true });</script>`;
};

const CALLS = `<script>
  for (const call of [
    () => tracklet.push(["track", "pushed", { n: 1 }], ["pageview"], ["identify", "somebody"]),
    () => tracklet.push(["flush", { timeoutMs: 10 }], ["flush", { get timeoutMs() { throw new Error("of the option"); } }]),
    // What breaks the language itself keeps the script from starting.
    () => tracklet.track?.("called", { n: 2 }),
    () => void tracklet.flush?.({ get timeoutMs() { throw new Error("of the option"); } }),
    () => void tracklet.flush?.({ timeoutMs: 10 }),
    () => tracklet.push(["reset"], ["optOut"], ["optIn"]),
    () => dispatchEvent(new Event("online")),
    () => dispatchEvent(new Event("pagehide")),
  ])
    try { call(); } catch (error) { tell("thrown by " + call + ": " + error); }
</script>`;

test("Whatever of the page's globals is broken, nothing comes out of the script", async ({ page, site, guard }) => {
  guard.allow();
  site.page("/frame", ({ url }) => {
    const [name, way, moment] = decodeURIComponent(url!.split("?")[1]!).split(",") as [string, string, string];
    const broken = breaking(name, WAYS[way]!);
    const before = `<script>
      window.tell = (text) => { parent.problems.push("${name}, ${way}, ${moment}: " + text); };
      window.onerror = (message) => tell("uncaught: " + message);
      window.onunhandledrejection = ({ reason }) => tell("unhandled: " + reason);
      window.tracklet = [];
    </script>`;
    return site.html({
      head: before + (moment === "before" ? broken : ""),
      tag: { pageviews: "auto", async: false },
      body: (moment === "before" ? "" : broken) + CALLS,
    });
  });
  site.page("/whole", { tag: { pageviews: "auto" } });
  site.page("/", "<script>window.problems = []</script>");
  await page.goto(site.url);
  // Frames that are visited beside each other: one for each global.
  for (const way of Object.keys(WAYS))
    for (const moment of ["before", "after"])
      await page.evaluate(
        async (cases) => {
          const frames = cases.map((one) => {
            const frame = document.createElement("iframe");
            frame.src = `/frame?${one}`;
            document.body.append(frame);
            return frame;
          });
          await Promise.all(frames.map((frame) => new Promise((resolve) => frame.addEventListener("load", resolve))));
          // A view of a frame that comes after them all, and is whole, has been judged and sent: so had theirs their time.
          const whole = document.createElement("iframe");
          whole.src = "/whole";
          document.body.append(whole);
          const isSent = () =>
            whole.contentWindow!.performance.getEntriesByType("resource").some(({ name }) => /track\/event/.test(name));
          while (!isSent()) await new Promise(requestAnimationFrame);
          for (const frame of [...frames, whole]) frame.remove();
        },
        [...GLOBALS, ...MEMBERS].map((name) => encodeURIComponent(`${name},${way},${moment}`)),
      );
  expect(await page.evaluate("window.problems")).toEqual([]);
});
