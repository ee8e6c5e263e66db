/** The contacts that a visitor can be: `[{ uid, name, accounts: [{ uid, name }] }]`. */
export const loadContacts = async () => (await fetch("/contacts")).json();

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
