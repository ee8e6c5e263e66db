import { spawnSync } from "node:child_process";
import { afterAll, describe, expect, it } from "vitest";
import { proveIdentity } from "../../../src/send.js";
import { createProve, secretOf } from "../../../src/service/ingest/identity-proof.js";
import { readPage } from "../../support/readme.js";
import { usePlace } from "../support/fixtures.js";
import { type RunningService, startService } from "../support/service.js";

const SECRET = "a-secret-of-the-site-with-32-chars";
const NEW_SECRET = "a-newer-secret-of-the-site-32-chars";
const [HOUR, DAY] = [3_600_000, 86_400_000];

describe("a proof of identity", () => {
  const now = Date.now();
  const prove = createProve({ identity: "require", identitySecret: `${NEW_SECRET},${SECRET}` });
  const signed = (contactUid: string, accountUid = "", expiresIn = 3_600, secret = SECRET) =>
    proveIdentity(secret, { contactUid, accountUid, expiresIn });
  const claim = async (proof: unknown, others: object = {}) =>
    prove({
      workspace: "default",
      contactUid: "ann",
      accountUid: "acme",
      proof: await proof,
      receivedAt: now,
      occurredAt: now,
      ...others,
    });
  /** Other times or lengths than `proveIdentity` lets through. */
  const dated = async (issued: number, expires: number) => {
    const { createHmac } = await import("node:crypto");
    const times = [issued, expires].map((time) => `${Math.floor(time / 1_000)}`);
    const message = ["ann", "acme", ...times].map((member) => `${member.length}:${member}`).join("");
    return ["1", ...times, createHmac("sha256", SECRET).update(message).digest("hex")].join(".");
  };

  it("holds for its contact and account, by either secret, for as long as the event could wait", async () => {
    expect(await claim(signed("ann", "acme"))).toBe(true);
    expect(await claim(signed("ann", "acme", 3_600, NEW_SECRET))).toBe(true);
    expect(await claim(signed("ann"), { accountUid: undefined })).toBe(true);
    const old = dated(now - 20 * DAY, now - 20 * DAY + HOUR);
    expect(await claim(old, { occurredAt: now - 20 * DAY })).toBe(true);
    expect(await claim(old, { occurredAt: undefined })).toBe(true);
  });

  it.each<[what: string, proof: () => unknown, others: object, why: string]>([
    ["missing", () => undefined, {}, "is missing"],
    ["no text", () => 7, {}, "is none"],
    [
      "forged",
      async () => (await signed("ann", "acme")).replace(/.$/, (end) => (end === "0" ? "1" : "0")),
      {},
      "does not hold",
    ],
    ["of another secret", () => signed("ann", "acme", 60, "somebody-else-s-secret-of-32-chars"), {}, "does not hold"],
    ["of another contact (replayed)", () => signed("bob", "acme"), {}, "does not hold"],
    ["of another account", () => signed("ann", "globex"), {}, "does not hold"],
    ["shifted from the contact to the account", () => signed("anna", "cme"), {}, "does not hold"],
    ["of another workspace", () => signed("ann", "acme"), { workspace: "shop" }, "does not hold"],
    [
      "with other times than were signed",
      async () => (await signed("ann", "acme")).replace(/^1\.\d+/, "1.1"),
      {},
      "does not hold",
    ],
    ["good for more than a day", () => dated(now, now + DAY + 1_000), {}, "is good for more than 24 hours"],
    ["expired when the event occurred", () => dated(now - 3 * HOUR, now - HOUR), {}, "had expired"],
    [
      "expired longer ago than an event waits",
      () => dated(now - 32 * DAY, now - 31 * DAY),
      { occurredAt: undefined },
      "had expired",
    ],
  ])("that is %s does not", async (_, proof, others, why) => {
    await expect(claim(proof(), others)).rejects.toMatchObject({
      statusCode: 422,
      message: expect.stringContaining(`params.identity_proof ${why}`),
    });
  });

  it("of a workspace is signed by a secret of its own", async () => {
    const proof = await signed("ann", "acme", 60, secretOf(SECRET, "shop"));
    expect(await claim(proof, { workspace: "shop" })).toBe(true);
    await expect(claim(proof)).rejects.toThrow("does not hold");
  });
});

describe("the recipes for servers without tracklet", () => {
  const CALLS: Record<string, [command: string, args: (code: string) => string[]]> = {
    "prove-identity.py": [
      "python3",
      (code) => ["-c", `${code}\nprint(prove_identity("${SECRET}", "änn", "acme"), end="")`],
    ],
    "prove-identity.php": ["php", (code) => ["-r", `${code}\necho prove_identity("${SECRET}", "änn", "acme");`]],
    "prove-identity.rb": ["ruby", (code) => ["-e", `${code}\nprint prove_identity("${SECRET}", "änn", "acme")`]],
  };
  const isThere = (command: string) => spawnSync(command, ["--version"]).error === undefined;
  const prove = createProve({ identity: "require", identitySecret: SECRET });

  it.for(Object.entries(CALLS))("%s signs what the service takes", async ([file, [command, args]], { skip }) => {
    if (!isThere(command)) skip(`there is no ${command}`);
    const code = (await readPage(`demo/recipes/${file}`)).replace("<?php\n", "");
    const { stdout, stderr } = spawnSync(command, args(code), { encoding: "utf8" });
    const times = { receivedAt: Date.now(), occurredAt: Date.now() };
    const claim = { workspace: "default", contactUid: "änn", accountUid: "acme", proof: stdout, ...times };
    expect([stderr, prove(claim)]).toEqual(["", true]);
  });
});

const place = usePlace();
let service: RunningService;
const start = async (identity: "off" | "mark" | "require") => {
  await service?.close();
  service = await startService({ ...place, identity, identitySecret: SECRET, logLevel: "silent" });
};
afterAll(() => service.close());
const event = (contact_uid: string, proof?: string, event_uid = "signed_up") => ({
  contact_uid,
  event_uid,
  params: { a: 1, ...(proof !== undefined && { identity_proof: proof }), account_uid: "acme" },
});
const good = (contactUid: string) => proveIdentity(SECRET, { contactUid, accountUid: "acme" });

it("is marked, refused or passed over, as the option says, and kept nowhere", async () => {
  const statuses: number[] = [];
  for (const identity of ["mark", "off", "require"] as const) {
    await start(identity);
    for (const proof of [await good("ann"), await good("bob"), undefined])
      statuses.push((await service.post(event("ann", proof))).status);
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 200, 422, 422]);
  const { rows } = await service.events("ann");
  expect(rows.map(({ proven, params }) => [proven ?? null, params])).toEqual(
    [true, false, null, null, null, null, true].map((proven) => [proven, { a: 1, account_uid: "acme" }]),
  );
  expect((await service.post(event("ann", await good("ann"), ""))).status).toBe(400);
  // That which fails among several events fails its own.
  const answer = await service.several([event("cid", await good("cid")), event("dan", await good("cid"))]);
  expect(await answer.json()).toEqual([
    { index: 0, status: "stored" },
    { index: 1, status: "refused", why: expect.stringContaining("does not hold for this contact") },
  ]);
  expect((await service.events("dan")).rows).toEqual([]);
});
