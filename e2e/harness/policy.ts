import { randomUUID } from "node:crypto";
import type { Page } from "playwright/test";
import type { Site } from "./site.js";

/** Where the browser posts what a page did against its policy. */
const REPORTS = "/policy-report";

/** The policy of a page with a strict security team: nothing is allowed but scripts by their nonce, and one service. */
export const createPolicy = (service: string) => {
  const nonce = randomUUID();
  const directives = [
    "default-src 'none'",
    // Where browsers look for the site's icon.
    "img-src 'self'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    `connect-src ${service}`,
    "require-trusted-types-for 'script'",
    "base-uri 'none'",
    `report-uri ${REPORTS}`,
  ];
  return { nonce, headers: { "content-security-policy": directives.join("; ") } };
};

/** Counts the reports of violations that reach the site. */
export const countReports = (site: Site): (() => number) => {
  let reports = 0;
  site.page(REPORTS, ({ method }) => {
    if (method === "POST") reports++;
    return "";
  });
  return () => reports;
};

/** Collects the violations that a page is told of. To be called before the page is loaded. */
export const watchPolicy = async (page: Page) => {
  const events: string[] = [];
  await page.exposeFunction("tellViolation", (text: string) => events.push(text));
  await page.addInitScript(() => {
    const { tellViolation } = window;
    addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sourceFile, sample }) =>
      tellViolation([location.href, violatedDirective, blockedURI, sourceFile, sample].join(" ")),
    );
  });
  return { events: events as readonly string[] };
};
