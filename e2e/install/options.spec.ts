import { expect, test, track } from "../harness/fixtures.js";
import { eventKeys } from "../harness/tab.js";

/* How requests leave: their type. */

test("With contentType text/plain a request asks nothing beforehand, needs no CORS, and is tried again without an answer", async ({
  open,
  site,
  gateway,
  expectRows,
}) => {
  site.configure({ contentType: "text/plain" });
  const page = await open();
  await gateway.during("reset", async () => {
    await track(page, "a", { n: 1 });
    await gateway.waitForPosts(1);
  });
  const [row] = await expectRows(["a"]);
  expect(row!.params).toEqual({ n: 1 });
  await gateway.fail({ status: 200, cors: false });
  await track(page, "b");
  await gateway.waitForPosts(1, "b");
  await expect.poll(() => eventKeys(page), "delivered though no answer can be read").toEqual([]);
  expect(gateway.posts("b")).toHaveLength(1);
  expect(new Set(gateway.requests.map(({ method }) => method))).toEqual(new Set(["POST"]));
  for (const { headers } of gateway.posts()) {
    expect(headers).toMatchObject({ "content-type": "text/plain" });
    expect(headers.cookie).toBeUndefined();
  }
});
