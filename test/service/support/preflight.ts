import { expect } from "vitest";

/** Asks for permission to post JSON, as a browser does; gives status and header fields. */
export const preflight = async (url: string, origin: string) => {
  const headers = { origin, "access-control-request-method": "POST", "access-control-request-headers": "content-type" };
  const answer = await fetch(url, { method: "OPTIONS", headers });
  return [answer.status, Object.fromEntries(answer.headers)];
};

/** Header fields with which everything is allowed for a day. */
export const ALLOWED = (origin: string) =>
  expect.objectContaining({
    "access-control-allow-origin": origin,
    "access-control-allow-credentials": "true",
    "access-control-allow-methods": "GET, HEAD, POST",
    "access-control-allow-headers": "Content-Type, Authorization, Accept",
    "access-control-max-age": "86400",
    vary: expect.stringContaining("Origin"),
  });
