const SCRIPTS = {
  "/i/lib.js": "https://cdn.example.com/tracklet.iife.js",
  "/i/look.js": "https://cdn.example.com/tracklet.inspector.js",
};
// The script adds an "s" to its path for several events at once.
const EVENTS = {
  "/i/e": "https://track.example.com/v1/track/event",
  "/i/es": "https://track.example.com/v1/track/events",
};
// An event has 256 KiB at most.
const MAX_BYTES = 300_000;
// The service's cookies are not the site's, so only these go on.
const ANSWERED = ["Content-Type", "Cache-Control", "Retry-After", "Tracklet-Batch"];

// Answers a request below /i; `address` is the visitor's.
export const handle = async (request, address) => {
  const { pathname, search } = new URL(request.url);
  const isScript = request.method === "GET";
  const target = (isScript ? SCRIPTS : EVENTS)[pathname];
  if (!target) return new Response("not found", { status: 404 });
  try {
    const parts = [];
    let bytes = 0;
    for await (const part of request.body ?? []) {
      bytes += part.length;
      if (bytes > MAX_BYTES) return new Response("too large", { status: 413 });
      parts.push(part);
    }
    // No cookie of the site goes along.
    const type = request.headers.get("Content-Type") ?? "application/json";
    const answer = await (isScript
      ? fetch(target)
      : fetch(target + search, {
          method: "POST",
          headers: { "Content-Type": type, ...(address && { "X-Forwarded-For": address }) },
          body: new Blob(parts),
          redirect: "manual",
          signal: AbortSignal.timeout(15_000),
        }));
    const found = ANSWERED.map((name) => [name, answer.headers.get(name)]).filter(([, value]) => value !== null);
    return new Response(answer.body, { status: answer.status, headers: found });
  } catch {
    // The page tries again.
    return new Response("no answer", { status: 503 });
  }
};
