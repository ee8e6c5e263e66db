/** Header fields of every page: it is in no frame, taken for nothing but what it is, and its address is not passed on. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "same-origin",
};

/** A content security policy that allows nothing but what is listed: directives and their sources. */
export const contentSecurityPolicy = (allowed: Record<string, string>): string =>
  Object.entries({
    "default-src": "'none'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
    ...allowed,
  })
    .map(([directive, sources]) => `${directive} ${sources}`)
    .join("; ");
