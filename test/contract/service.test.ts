/** `tracklet/read` and `tracklet/send` against the running service: as docs/server.md has them, and what that does not show. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fillFolder } from "../../demo/records/fill.js";
import { createReader, type EventOptions, type Reader, type StoredEvent } from "../../src/read.js";
import { sendEvent, updateAccount, updateContact } from "../../src/send.js";
import { ROOT } from "../support/launch.js";
import { blocksOf } from "../support/readme.js";
import { type OwnService, startService } from "../support/service.js";

const TOKENS = {
  TRACKLET_API_TOKEN: "tést-☃-api-token",
  TRACKLET_ACCESS_TOKEN: "test-access-token",
  TRACKLET_ADMIN_TOKEN: "test-admin-token",
};
const accessToken = TOKENS.TRACKLET_ACCESS_TOKEN;

let service: OwnService;
let reader: Reader;
let to: { trackUrl: string; apiToken: string };
beforeAll(async () => {
  service = await startService(TOKENS);
  await fillFolder(service.data);
  reader = createReader({ baseUrl: service.url, accessToken });
  to = { trackUrl: service.url, apiToken: TOKENS.TRACKLET_API_TOKEN };
});
afterAll(() => service?.dispose());

describe("the examples of docs/server.md", async () => {
  const examples = (await blocksOf("docs/server.md")).filter(({ language }) => language === "js");
  /** What some of them print. */
  const PRINTED: Record<string, RegExp> = {
    "Look up accounts and contacts": /^\{ name: .*\}\n\{ name: .*\}\n$/,
    "Change contacts and accounts": /^team\n$/,
    // 137 users in pages of 25.
    "List users": /^10 of 137\n.*\n(25\n){5}12\n$/s,
    "Test your own code": /^contact-001\n$/,
  };

  // The package as it is built: Node finds it by its own name.
  it.each(examples)('run as they stand under "$section"', async ({ section, code }) => {
    const addresses = { TRACKLET_BASE_URL: service.url, TRACKLET_TRACK_URL: service.url };
    const secret = { TRACKLET_IDENTITY_SECRET: "a-secret-of-the-site-with-32-chars" };
    const env = { PATH: process.env.PATH, ...addresses, ...secret, ...TOKENS };
    const args = ["--input-type=module", "--eval", code];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, env });
    expect(stderr).toBe("");
    expect(stdout).toMatch(PRINTED[section] ?? /^/);
  });

  it.each([
    ["contact-001", "invoice_paid"],
    ["contact-002", "export_finished"],
    ["contact-005", "invoice_paid"],
    ["contact-006", "invoice_paid"],
  ])("have stored what they send: of %s, %s", async (contact, event_uid) =>
    expect(await service.rows(contact)).toEqual([expect.objectContaining({ event_uid })]),
  );
});

it.each(["basic", "query"] as const)("an event is stored as it was sent, with auth %s", async (auth) => {
  const event = {
    contact_uid: `a/b ?#%&+=☃ ${auth}`,
    event_uid: "registration",
    params: { account_uid: "account-01", display_name: "Registration ☃", plan: { seats: [1, null] } },
  };
  await sendEvent({ ...to, auth }, event);
  await expect(service.rows(event.contact_uid)).resolves.toMatchObject([event]);
  const found = await reader.contacts.findByUid(event.contact_uid);
  expect(found).toMatchObject({ object: "contact", unique_id: event.contact_uid });
  await expect(reader.contacts.get(found!.id!)).resolves.toEqual(found);
});

it("a record is changed by who has the admin token, and by nobody else", async () => {
  const admin = { baseUrl: `${service.url}/`, adminToken: TOKENS.TRACKLET_ADMIN_TOKEN };
  const uid = "a/b ?#%&+=☃ traits";
  await updateContact(admin, uid, { data: { plan: "team" }, accounts: ["acme"] });
  const changed = await updateContact(admin, uid, { archived: true });
  expect(changed).toMatchObject({ object: "contact", unique_id: uid, archived: true, data: { plan: "team" } });
  expect(await reader.contacts.findByUid(uid)).toEqual(changed);
  expect(await updateAccount(admin, "acme", { health: 80 })).toMatchObject({ salesmachine: { health: 80 } });
  const api = { ...admin, adminToken: TOKENS.TRACKLET_ACCESS_TOKEN };
  await expect(updateContact(api, uid, {})).rejects.toMatchObject({ name: "AuthenticationError", method: "PUT" });
  await expect(updateContact(admin, uid, { plan: "x" } as object)).rejects.toThrow(/400 plan is not known/);
  await expect(updateContact(admin, "", {})).rejects.toThrow(/^uid: expected a text/);
  await expect(updateContact({ ...admin, adminToken: "" }, uid, {})).rejects.toThrow(/^adminToken: expected ASCII/);
});

describe("events that are stored", () => {
  const list = async (options: EventOptions): Promise<StoredEvent[]> => {
    const all: StoredEvent[] = [];
    for await (const event of reader.events(options)) all.push(event);
    return all;
  };

  it("are read by contact, account, name and time", async () => {
    const fifth = { account_uid: "fifth & more", occurred_at: Date.now() - 86_400_000 };
    const since = new Date();
    const numbers = Array.from({ length: 210 }, (_, index) => index);
    const sent = numbers.map((number) => ({
      contact_uid: `reader ${number % 2}`,
      event_uid: number % 3 === 0 ? "third" : "other",
      params: { number, ...(number % 5 === 0 && fifth) },
    }));
    await Promise.all(sent.map((event) => sendEvent(to, event)));
    const found = async (options: EventOptions) =>
      (await list({ since, limit: 300, ...options }))
        .map(({ params }) => params.number as number)
        .sort((a, b) => a - b);
    const some = { accountUid: "fifth & more", contactUid: "reader 0", eventUid: "third" };
    expect(await found({})).toEqual(numbers);
    expect(await found({ contactUid: "reader 1" })).toEqual(numbers.filter((number) => number % 2 === 1));
    expect(await found({ eventUid: "third" })).toEqual(numbers.filter((number) => number % 3 === 0));
    expect(await found(some)).toEqual(numbers.filter((number) => number % 30 === 0));
    expect(await found({ until: since })).toEqual([]);
    const { data, pagination } = await reader.events({ since });
    expect([data.length, data.length]).toEqual([pagination.count, pagination.limit]);
    const events = await list({ ...some, until: Date.now() + 60_000 });
    expect(events.map(({ id }) => id)).toEqual(events.map(({ id }) => id).sort());
    const stored = { object: "event", id: expect.any(String), received_at: expect.any(Number), settled: false };
    expect(events.find(({ params }) => params.number === 0)).toEqual({ ...stored, ...fifth, ...sent[0] });
  });

  it("are of this service alone: of another one, the error says so", async () => {
    const other = createReader({ baseUrl: `${service.url}/v3`, accessToken });
    await expect(other.events()).rejects.toThrow(/404 .+\(only tracklet's own service lists events\)$/);
  });
});

it("passes every case of `npx tracklet conform`, whose events are stored", async () => {
  const args = ["dist/conform.js", "conform", service.url, "--token", TOKENS.TRACKLET_API_TOKEN];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });
  expect(stdout).toMatch(/^\d\d passed, 0 failed, 0 warned, 0 left out$/m);
  expect((await service.rows("tracklet_conform")).length).toBeGreaterThan(40);
});
