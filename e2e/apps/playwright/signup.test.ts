import { expect } from "playwright/test";
import { test } from "./events";

test("a sign-up is tracked", async ({ page, events }) => {
  await page.goto("/");
  await page.getByRole("button", { name: "Sign up" }).click();
  await expect
    .poll(() => events)
    .toContainEqual(
      expect.objectContaining({ event_uid: "signed_up", params: expect.objectContaining({ plan: "team" }) }),
    );
});
