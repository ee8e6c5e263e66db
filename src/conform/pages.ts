/** What a browser asks of a service of another origin (docs/endpoint.md, "CORS"). */
import { type Answer, type Ask, eventOf } from "./ask.js";
import { type Case, first, lists, readable, stored } from "./expect.js";

/** Shorter, and a browser asks before nearly every event. */
const SHORTEST_S = 600;

const check = (
  name: string,
  what: string,
  ask: (ask: Ask) => Promise<Answer>,
  judge: (answer: Answer, ask: Ask) => string | undefined,
): Case => ({
  name,
  what,
  run: async (by) => judge(await ask(by), by),
});
/** A page that cannot read an answer takes it for none, and tries again for ever. */
const reads = (name: string, what: string, ask: (ask: Ask) => Promise<Answer>): Case =>
  check(name, `${what} can be read by a page`, ask, (answer, { origin }) => readable(answer, origin));

const preflight = ({ preflight }: Ask): Promise<Answer> => preflight();

export const PAGES: Case[] = [
  check("preflight", "the preflight is answered with 2xx", preflight, stored),
  reads("preflight-origin", "the preflight", preflight),
  check("preflight-type", "the preflight allows Content-Type", preflight, (answer) =>
    lists(answer, "access-control-allow-headers", "Content-Type"),
  ),
  check("preflight-age", `the preflight holds for ${SHORTEST_S} s at least`, preflight, ({ headers }) => {
    const age = headers.get("access-control-max-age");
    return Number(age) >= SHORTEST_S
      ? undefined
      : `expected Access-Control-Max-Age: ${SHORTEST_S} or more, got ${age ?? "none"}`;
  }),
  reads("stored-origin", "the answer to an event", ({ post }) => post(eventOf())),
  reads("refused-origin", "the answer to a wrong event", ({ post }) => post("{}")),
  reads("token-origin", "the answer to a wrong token", ({ post }) =>
    post(eventOf(), { token: "tracklet-conform-wrong" }),
  ),
  reads("large-origin", "the answer to an event of 2 MiB", ({ post }) =>
    post(eventOf({ text: "x".repeat(2_097_152) })),
  ),
  check(
    "null-origin",
    "a page without an origin of its own, as in a sandbox, can read the answer",
    ({ post }) => post(eventOf(), { headers: { Origin: "null" } }),
    (answer) => readable(answer, "null"),
  ),
  check(
    "beacon",
    "a beacon, which carries cookies, is answered with the page's own origin and Allow-Credentials: true",
    ({ post }) => post(eventOf()),
    ({ headers }, { origin }) =>
      headers.get("access-control-allow-origin") === origin &&
      headers.get("access-control-allow-credentials") === "true"
        ? undefined
        : "browsers without keepalive (Firefox before 133) lose what they send as they leave a page",
  ),
  check(
    "one-origin",
    "the origin is named once",
    ({ post }) => post(eventOf()),
    ({ headers }) =>
      /,/.test(headers.get("access-control-allow-origin") ?? "")
        ? `got ${headers.get("access-control-allow-origin")}`
        : undefined,
  ),
  check(
    "page-of-https",
    "a page of another origin can read the answer, too",
    ({ post }) => post(eventOf(), { headers: { Origin: "https://other.example" } }),
    (answer) => first(stored(answer), readable(answer, "https://other.example")),
  ),
];
