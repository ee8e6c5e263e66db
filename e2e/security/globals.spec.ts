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
const WAYS = {
  throws: `() => { throw new Error("broken by the page"); }`,
  "returns nonsense": `() => "nonsense"`,
  "never answers": `() => new Promise(() => {})`,
};
const MOMENTS = ["before", "after"] as const;

type Case = [name: string, way: keyof typeof WAYS, moment: (typeof MOMENTS)[number]];
/** Frames that are visited beside each other: one for each global. */
const VISITS = (Object.keys(WAYS) as (keyof typeof WAYS)[]).flatMap((way) =>
  MOMENTS.map((moment) => [...GLOBALS, ...MEMBERS].map((name): Case => [name, way, moment])),
);
const CASES = VISITS.flat();

/** Script that breaks the global for whoever is called from now on; the page's own words are saved before. */
const breaking = ([name, way]: Case): string => {
  const [owner, member] = [name.slice(0, name.lastIndexOf(".")), name.slice(name.lastIndexOf(".") + 1)];
  const act = WAYS[way];
  const descriptor = MEMBERS.includes(name) ? `{ get: ${act}` : `{ value: ${act}, writable: true`;
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
    const one = CASES[Number(url!.split("?")[1])]!;
    const before = `<script>
      window.tell = (text) => { parent.problems.push("${one.join(", ")}: " + text); };
      window.onerror = (message) => tell("uncaught: " + message);
      window.onunhandledrejection = ({ reason }) => tell("unhandled: " + reason);
      window.tracklet = [];
    </script>`;
    const isBefore = one[2] === "before";
    return site.html({
      head: before + (isBefore ? breaking(one) : ""),
      tag: { pageviews: "auto", async: false },
      body: (isBefore ? "" : breaking(one)) + CALLS,
    });
  });
  site.page("/whole", { tag: { pageviews: "auto" } });
  site.page("/", "<script>window.problems = []</script>");
  await page.goto(site.url);
  for (const frames of VISITS)
    await page.evaluate(
      async ([first, count]) => {
        const frames = Array.from({ length: count }, (_, index) => {
          const frame = document.createElement("iframe");
          frame.src = `/frame?${first + index}`;
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
      [CASES.indexOf(frames[0]!), frames.length] as const,
    );
  expect(await page.evaluate("window.problems")).toEqual([]);
});
