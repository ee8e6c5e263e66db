import { randomUUID } from "node:crypto";
import type { Page } from "playwright/test";

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
  ];
  return { nonce, headers: { "content-security-policy": directives.join("; ") } };
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
