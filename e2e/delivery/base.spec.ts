import { expect, test } from "../harness/fixtures.js";

/* A relative track URL is one of the page's own origin, whatever a `<base>` says. */

/** Markup that holds a page in a frame, for pages whose own address is no base for a relative one. */
const frames = {
  "a page": (html: string) => html,
  "a srcdoc frame": (html: string) =>
    `<!doctype html><iframe srcdoc="${html.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}"></iframe>`,
  "a blob: frame": (html: string) =>
    `<!doctype html><script>
      const blob = new Blob([${JSON.stringify(html).replaceAll("<", "\\u003c")}], { type: "text/html" });
      const frame = document.createElement("iframe");
      frame.src = URL.createObjectURL(blob);
      document.documentElement.append(frame);
    </script>`,
};

for (const [what, frame] of Object.entries(frames))
  test(`${what} with a base of another host sends to its own origin`, async ({ page, site, gateway, expectRows }) => {
    const elsewhere: string[] = [];
    site.page("/v1/track/event", ({ method, url }) => {
      elsewhere.push(`${method} ${url}`);
      return "";
    });
    const base = `<base href="${site.url}/">`;
    const html = site.html({
      head: base,
      tag: { src: `${site.url}/dist/tracklet.iife.js`, trackUrl: "/" },
      body: `<script>tracklet.push(["track", "based"])</script>`,
    });
    // The service's own origin shows the page, so that a relative URL leads to the service.
    await gateway.fail(({ method, url }) =>
      method === "GET" && url === "/page"
        ? { status: 200, headers: { "content-type": "text/html" }, body: frame(html) }
        : "pass",
    );
    await page.goto(`${gateway.url}/page`);
    await expectRows(["based"], { timeoutMs: 10_000 });
    expect(elsewhere, "requests to the host of the base").toEqual([]);
  });
