import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { recordId } from "../../../src/service/base/exact-text.js";
import type { Query } from "../../../src/service/database/database.js";
import { idAt } from "../../../src/service/database/event-id.js";
import { withQuery } from "../support/database.js";
import { DAY, useCommands, useFolder } from "../support/fixtures.js";

const folder = useFolder();
const { place, run, withService } = useCommands();
const query: Query = (sql, values) => withQuery(place, (query) => query<never>(sql, values));

it("deletes a contact with all that it has, names who is left, and takes a typing error for none", async () => {
  await withService(async ({ post }) => {
    for (const [contact_uid, of] of [
      ["Ben", ""],
      ["carl", "ben"],
      ["carl", "bench"],
    ])
      await post({ contact_uid, event_uid: "invited", params: { of } });
  });
  await expect(run("erase", "BEN")).rejects.toThrow(/by case alone differ "Ben", "ben"$/);
  expect((await run("erase", "ben")).err).toBe(
    'deleted the contact "ben" and 1 events; by case alone differ "Ben"\n' +
      "1 events name it in their params: repeat with --everywhere to delete these\n",
  );
  expect((await run("erase", "ben", "--everywhere")).err).toBe("deleted 1 events of others that name it\n");
  await expect(run("erase", "ben", "--everywhere")).rejects.toThrow("there is no contact");
  expect((await run("export")).out.match(/"of":"bench?"/g)).toEqual(['"of":"bench"']);
  const file = join(folder, "uids.txt");
  await writeFile(file, "Ben\n \ncarl\nnobody-such\nnobody-else\n");
  await expect(run("erase", "--file", file)).rejects.toThrow(
    /^there are no contacts "nobody-such", "nobody-else" in the workspace default$/,
  );
  // Again, as after a failure: of these there was something.
  await writeFile(file, "Ben\ncarl\nben\n");
  expect((await run("erase", "--file", file)).err).toBe("erased 3 of 3 contacts, 0 events\n");
});

it("deletes an account and a user, and says who is not there", async () => {
  const { email } = JSON.parse((await run("export", "users")).out.split("\n")[0]!);
  for (const [kind, uid, words] of [
    ["account", "account-01", 'account "account-01" and its memberships: an event that names it makes it anew'],
    ["user", email, `user ${JSON.stringify(email)}`],
  ]) {
    expect((await run("delete-record", kind, uid)).err).toBe(`deleted the ${words}\n`);
    await expect(run("delete-record", kind, uid)).rejects.toThrow(`there is no ${kind} `);
  }
});

const told = (events: number) =>
  `these are ${events} events of the workspace default: repeat with --yes to delete them\n`;

it("deletes events by name and time, and by their age, once it has said how many these are", async () => {
  const ids = Array.from({ length: 12_001 }, (_, index) => idAt(Date.now() - 40 * DAY + index));
  await query(
    `INSERT INTO events (contact_id, id, workspace, contact_uid, event_uid, received_at, params)
     SELECT $1, id, 'default', 'old', 'old' || (id = $2), 1, '{}' FROM unnest($3::uuid[]) AS row (id)`,
    [recordId("contact", "old"), ids[0], ids],
  );
  const which = ["delete-events", "--name", "oldtrue", "--until", "2000-01-01"];
  for (const _ of [1, 2]) expect((await run(...which)).err).toBe(told(1));
  expect((await run(...which, "--since", "1971-01-01", "--yes")).err).toBe("deleted 0 events\n");
  expect((await run(...which, "--yes")).err).toBe("deleted 1 events\n");
  expect((await run(...which)).err).toBe("there are none of the workspace default\n");
  const old = ["delete-events", "--older-than", "30"];
  expect((await run(...old)).err).toBe(told(12_000));
  expect((await run(...old, "--yes")).err).toBe("deleted 12000 events\n");
});

it("takes out contacts that events of a time alone tell of, and nobody whom something else knows", async () => {
  const since = new Date().toISOString();
  await withService(async ({ post }) => {
    for (const contact_uid of ["forged-1", "forged-2", "forged-2", "proven", "carla", "contact-003"])
      await post({ contact_uid, event_uid: "paid", params: { account_uid: "forged" } });
  });
  const until = new Date(Date.now() + 1).toISOString();
  await withService(({ post }) => post({ contact_uid: "carla", event_uid: "later" }));
  await query("UPDATE events SET proven = true WHERE contact_uid = 'proven'");
  const which = ["delete-events", "--new-contacts", "--since", since];
  await expect(run(...which)).rejects.toThrow("--new-contacts needs --since and --until");
  const before = (await run("export", "contacts")).out;
  expect(await run(...which, "--until", until)).toMatchObject({
    out: '2\t"forged-2"\n1\t"forged-1"\n',
    err: "these are 3 events of 2 contacts, real ones that were new then among them: repeat with --yes to delete them\n",
  });
  expect((await run(...which, "--until", until, "--yes")).err).toBe("deleted 3 events of 2 contacts\n");
  expect((await run("export", "contacts")).out).toBe(before.replace(/^.*forged-\d.*\n/gm, ""));
  // What was done is told, by whom nobody sees.
  expect((await run("audit")).out).toMatch(/"what":"deleted 2 contacts that were new between .*"events":3/);
});
