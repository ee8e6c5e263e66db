import { test } from "playwright/test";
import { APP_NAMES, buildApp, install } from "./build.js";

/* Before the tests that need them. */

test("The frameworks are installed", install);
for (const name of APP_NAMES) test(`The app of ${name} is built`, async () => void (await buildApp(name)));
