import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { recordId } from "../../../src/service/base/exact-text.js";
import { idAt } from "../../../src/service/database/event-id.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { dataFolder } from "../../support/data-folder.js";
import { commandsAt, DAY, SHOP } from "../support/command-line.js";
import { overDatabase } from "../support/over-database.js";
import { until } from "../support/running-service.js";

overDatabase((place) => {
  const { run, withService } = commandsAt(place);

  it("deletes a contact with all that it has, names who is left, and takes a typing error for none", async () => {
    await withService(async (service) => {
      for (const [contact_uid, of] of [
        ["Ben", ""],
        ["carl", "ben"],
        ["carl", "bench"],
      ])
        await service.post({ contact_uid, event_uid: "invited", params: { of } });
    });
    await expect(run("delete-contact", "nobody-such")).rejects.toThrow(
      /^there is no contact "nobody-such" in the workspace default$/,
    );
    await expect(run("delete-contact", "BEN")).rejects.toThrow(/by case alone differ "Ben", "ben"$/);
    expect((await run("delete-contact", "contact-001")).err).toBe('deleted the contact "contact-001" and 1 events\n');
    expect((await run("delete-contact", "ben")).err).toBe(
      'deleted the contact "ben" and 1 events; by case alone differ "Ben"\n' +
        "1 events name it in their params: repeat with --everywhere to delete these\n",
    );
    expect((await run("delete-contact", "ben", "--everywhere")).err).toBe("deleted 1 events of others that name it\n");
    await expect(run("delete-contact", "ben", "--everywhere")).rejects.toThrow("there is no contact");
    expect((await run("export")).out.match(/"of":"bench?"/g)).toEqual(['"of":"bench"']);
    const file = join(await dataFolder(), "uids.txt");
    await writeFile(file, "Ben\n \ncarl\nnobody-such\nnobody-else\n");
    await expect(run("erase", "--file", file)).rejects.toThrow(
      /^there are no contacts "nobody-such", "nobody-else" in the workspace default$/,
    );
    // Again, as after a failure: of these there was something.
    await writeFile(file, "Ben\ncarl\nben\n");
    expect((await run("erase", "--file", file)).err).toBe("erased 3 of 3 contacts, 0 events\n");
    expect((await run("audit")).out.match(/"events":\d/g)!.slice(-5)).toEqual(
      [1, 1, 0, 0, 0].map((events) => `"events":${events}`),
    );
    await withService(async (service) => {
      for (const uid of ["contact-001", "ben"]) expect((await service.get(`/v2/contacts?uid=${uid}`)).status).toBe(404);
      const theirs = { authorization: `Bearer ${SHOP.accessToken}` };
      expect((await service.get("/v2/contacts?uid=ben", theirs)).status).toBe(200);
      expect((await service.events('anna, "A"')).rows).toHaveLength(1);
      // Who comes back is a contact again.
      const params = { occurred_at: Date.now() };
      await service.post({ contact_uid: "contact-001", event_uid: "again", params });
      expect(await (await service.get("/v2/contacts?uid=contact-001")).json()).toMatchObject({
        data: {},
        accounts: { data: [] },
      });
    });
  });

  it("deletes an account and a user, and says who is not there", async () => {
    await withService(async (service) => {
      await service.post({ contact_uid: "dana", event_uid: "renewed", params: { account_uid: "account-01" } });
    });
    expect((await run("delete-record", "account", "account-01")).err).toBe(
      'deleted the account "account-01" and its memberships: an event that names it makes it anew\n',
    );
    await expect(run("delete-record", "account", "account-01")).rejects.toThrow(
      /^there is no account "account-01" in the/,
    );
    const { email } = JSON.parse((await run("export", "users")).out.split("\n")[0]!);
    expect((await run("delete-record", "user", email)).err).toBe(`deleted the user ${JSON.stringify(email)}\n`);
    await expect(run("delete-record", "user", email)).rejects.toThrow("there is no user");
    const members = `SELECT 1 FROM account_contacts WHERE account_id = '${recordId("account", "account-01")}'`;
    expect((await run("sql", members)).out).toBe("");
    // Its events stay its own.
    await withService(async (service) => {
      const { data } = await (await service.get("/v2/events?account_uid=account-01&order=desc&limit=1")).json();
      expect(data).toMatchObject([{ contact_uid: "dana", event_uid: "renewed" }]);
    });
  });

  const storeOld = async (days: number, amount: number) => {
    const database = await openDatabase(place());
    const ids = Array.from({ length: amount }, (_, index) => idAt(Date.now() - days * DAY + index));
    await database.query(
      `INSERT INTO events (contact_id, id, workspace, contact_uid, event_uid, received_at, params)
       SELECT $1, id, 'default', 'old', $2, 1, '{}' FROM unnest($3::uuid[]) AS row (id)`,
      [recordId("contact", "old"), `${days} days`, ids],
    );
    await database.close();
  };

  const told = (events: number) =>
    `these are ${events} events of the workspace default: repeat with --yes to delete them\n`;

  it("deletes events by name and time, once it has said how many these are", async () => {
    await storeOld(40, 2);
    const which = ["delete-events", "--name", "40 days", "--until", "2000-01-01"];
    for (const _ of [1, 2]) expect((await run(...which)).err).toBe(told(2));
    expect((await run(...which, "--since", "1971-01-01", "--yes")).err).toBe("deleted 0 events\n");
    expect((await run("delete-events", "--name", "40 day", "--yes")).err).toBe("deleted 0 events\n");
    expect((await run(...which, "--yes")).err).toBe("deleted 2 events\n");
    expect((await run(...which)).err).toBe("there are none of the workspace default\n");
  });

  it("deletes events by their age, however many, by command and while the service runs", async () => {
    await storeOld(40, 12_001);
    await storeOld(20, 2);
    const old = ["delete-events", "--older-than", "30"];
    for (const _ of [1, 2]) expect((await run(...old)).err).toBe(told(12_001));
    expect((await run(...old, "--yes")).err).toBe("deleted 12001 events\n");
    expect((await run(...old, "--yes")).err).toBe("deleted 0 events\n");
    await withService(
      async (service) => {
        await until(async () => ((await service.events("old")).rows.length === 0 ? true : undefined));
      },
      { retentionDays: 19 },
    );
    expect((await run("export")).out.trimEnd().split("\n")).toHaveLength(3);
  });

  it("takes out contacts that events of a time alone tell of, and nobody whom something else knows", async () => {
    const since = new Date().toISOString();
    await withService(async (service) => {
      for (const contact_uid of ["forged-1", "forged-2", "forged-2", "proven", "carla", "contact-003"])
        await service.post({ contact_uid, event_uid: "paid", params: { account_uid: "forged" } });
    });
    const until = new Date(Date.now() + 1).toISOString();
    await withService((service) => service.post({ contact_uid: "carla", event_uid: "later" }).then(() => {}));
    const database = await openDatabase(place());
    await database.query("UPDATE events SET proven = true WHERE contact_uid = 'proven'");
    await database.close();
    const which = ["delete-events", "--new-contacts", "--since", since];
    await expect(run(...which)).rejects.toThrow("--new-contacts needs --since and --until");
    const before = (await run("export", "contacts")).out;
    expect(await run(...which, "--until", until)).toMatchObject({
      out: '2\t"forged-2"\n1\t"forged-1"\n',
      err: "these are 3 events of 2 contacts, real ones that were new then among them: repeat with --yes to delete them\n",
    });
    expect((await run(...which, "--until", until, "--yes")).err).toBe("deleted 3 events of 2 contacts\n");
    expect((await run("export", "contacts")).out).toBe(before.replace(/^.*forged-\d.*\n/gm, ""));
    expect(await run(...which, "--until", until)).toMatchObject({ out: "" });
    // What was done is told, by whom nobody sees.
    const [last] = (await run("audit")).out.trimEnd().split("\n").slice(-1);
    expect(JSON.parse(last!)).toMatchObject({ what: expect.stringMatching(/^exported contacts/) });
    expect((await run("audit")).out).toMatch(/"what":"deleted 2 contacts that were new between .*"events":3/);
  });
});
