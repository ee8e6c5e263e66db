/** `npm run demo:read`: the five look-ups and one event sent from a server, against the running demo service. */
import { createReader, TrackletError } from "../src/read.js";
import { sendEvent } from "../src/send.js";
import { DEMO_TOKENS } from "../src/service/config/defaults.mjs";
import { readConfig } from "../src/service/config/options.js";

const { env } = process;
const DEFAULTS = { ...readConfig({}), ...DEMO_TOKENS };
const url = `http://${env.TRACKLET_SERVICE_HOST ?? DEFAULTS.host}:${env.TRACKLET_SERVICE_PORT ?? DEFAULTS.port}`;
const baseUrl = env.TRACKLET_BASE_URL ?? url;
const trackUrl = env.TRACKLET_TRACK_URL ?? url;
const accessToken = env.TRACKLET_ACCESS_TOKEN ?? DEFAULTS.accessToken;
const apiToken = env.TRACKLET_API_TOKEN ?? DEFAULTS.apiToken;

const show = (what: string, found: unknown): void => console.log(`${what}\n  ${JSON.stringify(found)}\n`);

const main = async (): Promise<void> => {
  const { accounts, contacts, users } = createReader({ baseUrl, accessToken, retries: 0 });

  const account = await accounts.findByUid("account-01");
  show('accounts.findByUid("account-01")', account);
  if (account?.id) show(`accounts.get("${account.id}")`, await accounts.get(account.id));

  const contact = await contacts.findByUid("contact-001");
  show('contacts.findByUid("contact-001")', contact);
  if (contact?.id) show(`contacts.get("${contact.id}")`, await contacts.get(contact.id));

  const { data, pagination } = await users.list({ limit: 3, order: "asc" });
  show('users.list({ limit: 3, order: "asc" }): one page', { names: data.map(({ name }) => name), pagination });
  let enabled = 0;
  for await (const user of users.list({ limit: 100 })) enabled += Number(user.enabled);
  show("users.list({ limit: 100 }): all users", { enabled });

  const event = { contact_uid: "contact-001", event_uid: "invoice_paid", params: { account_uid: "account-01" } };
  await sendEvent({ trackUrl, apiToken, stamp: true, retries: 0 }, event);
  show("sendEvent: stored", event);
};

main().catch((error: unknown) => {
  if (!(error instanceof TrackletError)) throw error;
  console.error(
    error.name === "ConnectionError"
      ? `The service does not run at ${baseUrl}: start it with "npm start", or set TRACKLET_BASE_URL and TRACKLET_TRACK_URL.`
      : `${error}`,
  );
  process.exitCode = 1;
});
