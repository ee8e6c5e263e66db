import { expect, test } from "playwright/test";

test("a sign-up is tracked, though its click leaves the page", async ({ page, request }) => {
  await page.goto("/");
  await page.getByRole("link", { name: "Sign up" }).click();
  await expect
    .poll(async () => (await request.get("http://localhost:4319")).json())
    .toContainEqual(
      expect.objectContaining({ event_uid: "signed_up", params: expect.objectContaining({ plan: "team" }) }),
    );
});
