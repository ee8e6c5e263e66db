/** `npx tracklet conform` against services that answer wrongly: each fault has its case. That ours passes: contract/service. */
import { expect, it } from "vitest";
import { createAsk } from "../../src/conform/ask.js";
import { CASES, runCases } from "../../src/conform/cases.js";
import { readPage } from "../support/readme.js";
import { type Answerer, json, type RawRequest, type Reply, withWire } from "./wire.js";

const JSON_OF = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return;
  }
};
const isEvent = (event: unknown): boolean => {
  const { contact_uid, event_uid, params = {} } = Object(event);
  return !!contact_uid && !!event_uid && !Array.isArray(params);
};
const seen = new Set<unknown>();
const verdictOf = (event: { params?: { event_id?: unknown } }): { status: string } => {
  if (!isEvent(event)) return { status: "refused" };
  const id = event.params?.event_id;
  const status = seen.has(id) ? "repeated" : "stored";
  seen.add(id);
  return { status };
};

/** What a right service answers, by hand. */
const right = ({ method, target, body, headers }: RawRequest): Required<Reply> => {
  const cors = {
    "access-control-allow-origin": `${headers.origin}`,
    "access-control-allow-credentials": "true",
    "access-control-allow-headers": "Content-Type",
    "access-control-max-age": "7200",
    "access-control-expose-headers": "Retry-After, Tracklet-Batch",
  };
  const answer = (status: number, told: unknown, more = {}) =>
    json(told, status, { ...cors, ...more }) as Required<Reply>;
  if (method === "OPTIONS") return { status: 204, headers: cors, body: "" };
  if (new URL(target, "http://wire").searchParams.get("api_token") !== "test") return answer(401, { error: "token" });
  const given = JSON_OF(body);
  if (!target.includes("/events"))
    return isEvent(given) && verdictOf(given as object)
      ? answer(200, {}, { "tracklet-batch": "1000" })
      : answer(400, { error: "body" });
  const verdicts = (given as object[]).map(verdictOf);
  const isWhole = verdicts.every(({ status }) => status !== "refused");
  return answer(isWhole ? 200 : 207, verdicts, { "tracklet-batch": "1000" });
};
const withHeaders = (reply: Required<Reply>, changed: Record<string, string | undefined>): Reply => {
  const headers = Object.entries({ ...reply.headers, ...changed }).filter(([, value]) => value !== undefined);
  return { ...reply, headers: Object.fromEntries(headers) as Record<string, string> };
};

/** Cases that pass where no event is taken. */
const NEEDS_NO_EVENT = /^(no-redirect|no-store|no-token|wrong-token|retry-after|preflight.*|one-origin|several-.*)$/;
const WRONG: [what: string, answer: Answerer, failing: string[]][] = [
  ["that is right", right, []],
  [
    "whose proxy drops the query, and whose errors have no CORS",
    (request) => {
      const reply = right({ ...request, target: request.target.replace(/\?.*/, "") });
      return reply.status < 400 ? reply : withHeaders(reply, { "access-control-allow-origin": undefined });
    },
    CASES.map(({ name }) => name).filter((name) => !NEEDS_NO_EVENT.test(name)),
  ],
  [
    "that answers 200 to everything, offers several, sets a cookie, and redirects what is no JSON",
    (request) => {
      if (request.method === "OPTIONS") return right(request);
      if (JSON_OF(request.body) === undefined) return { status: 302, headers: { location: "/login" } };
      return withHeaders(
        { ...right(request), status: 200, body: "ok" },
        { "set-cookie": "a=1", "tracklet-batch": "1000" },
      );
    },
    [
      "no-cookies",
      "no-contact",
      "empty-contact",
      "no-name",
      "params-list",
      "no-json",
      "list",
      "no-token",
      "wrong-token",
      "several-stored",
      "several-refused",
      "several-repeated",
      "several-token",
    ],
  ],
  [
    "whose proxy lets the offer through, and has the site answer the second address",
    (request) => {
      const reply = right({ ...request, body: "[]" });
      const isPlural = request.method === "POST" && request.target.includes("/events");
      return isPlural
        ? { ...withHeaders(reply, { "tracklet-batch": undefined }), status: 200, body: "<!doctype html>" }
        : right(request);
    },
    ["several-path", "several-stored", "several-refused", "several-repeated", "several-offer", "several-token"],
  ],
  [
    "whose params have a strict schema",
    (request) => {
      const isStamped = request.body.includes('"event_seq"');
      return withHeaders(right(isStamped ? { ...request, body: "{}" } : request), { "tracklet-batch": undefined });
    },
    ["stamped", "stamped-again", "stamped-late", "stamped-wrong-time"],
  ],
  [
    "that offers several, stores twice what came alone first, and forbids to keep answers",
    (request) => {
      const before = new Set(seen);
      const reply = right(request);
      if (request.target.includes("/events")) return reply;
      for (const id of seen) if (!before.has(id)) seen.delete(id);
      return withHeaders(reply, { "cache-control": "private, no-store" });
    },
    ["warning: no-store", "several-repeated"],
  ],
  [
    "that names one origin alone, asks for a preflight each time, fails at odd texts, and stores stamps again",
    (request) => {
      if (/\\u0000|\\ud83d/.test(request.body)) return withHeaders({ ...right(request), status: 500 }, {});
      seen.clear();
      const age = { "access-control-max-age": "5", "access-control-allow-origin": "https://shop.example" };
      return withHeaders(right(request), { ...age, "access-control-allow-credentials": undefined });
    },
    ["text-control", "text-surrogate", "preflight-age", "null-origin", "beacon", "page-of-https", "several-repeated"],
  ],
];

it.each(WRONG)("names the faults of a service %s, and nothing else", (_, answer, failing) =>
  withWire(answer, async ({ url }) => {
    const ask = createAsk({
      trackUrl: url,
      apiToken: "test",
      eventPath: "/v1/track/event",
      origin: "https://shop.example",
    });
    const wrong: string[] = [];
    for await (const { name, wrong: isWrong, isAdvice } of runCases(ask))
      if (isWrong) wrong.push(`${isAdvice ? "warning: " : ""}${name}`);
    expect(wrong).toEqual(failing);
  }),
);

it("is named by docs/endpoint.md, case by case", async () => {
  const page = await readPage("docs/endpoint.md");
  const named = [...page.matchAll(/`([a-z]+(?:-[a-z…]+)*)`/g)].map(([, name]) => name!);
  const isNamed = (name: string): boolean =>
    named.some((one) => one === name || (one.endsWith("…") && name.startsWith(one.slice(0, -1))));
  expect(CASES.map(({ name }) => name).filter((name) => !isNamed(name))).toEqual([]);
});
