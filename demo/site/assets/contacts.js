import { recall, remember } from "./memory.js";

/**
 * The contacts that a visitor can be: `[{ uid, name, accounts: [{ uid, name }] }]`. While the service is down, those of
 * last time, so that the demo can be tried without it. Rejects when there are none of last time either.
 *
 * @param {string} serviceUrl origin of the service
 */
export const loadContacts = async (serviceUrl) => {
  try {
    const answer = await fetch(`${serviceUrl}/demo/contacts`);
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const contacts = await answer.json();
    remember("contacts", contacts);
    return contacts;
  } catch (error) {
    const contacts = recall("contacts");
    if (contacts) return contacts;
    throw error;
  }
};

/**
 * One group of options for each account, sorted by name. A contact of several accounts is in each of them.
 *
 * @returns {HTMLOptGroupElement[]} options whose value is `[contact, account]` as JSON, of uids and names
 */
export const contactOptions = (contacts) => {
  const groups = new Map();
  for (const contact of contacts) {
    for (const account of contact.accounts.length ? contact.accounts : [{ name: "Without an account" }]) {
      const group = groups.get(account.name) ?? document.createElement("optgroup");
      group.label = account.name;
      const who = [
        { uid: contact.uid, name: contact.name },
        { uid: account.uid, name: account.name },
      ];
      group.append(new Option(contact.name, JSON.stringify(who)));
      groups.set(account.name, group);
    }
  }
  return [...groups.keys()].sort((a, b) => a.localeCompare(b)).map((name) => groups.get(name));
};
