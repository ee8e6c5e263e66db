/** Who the events belong to, `identity` = epoch, contact and account: one for all tabs, remembered across pages. */
import type { Store } from "./storage.js";

/** Each reset begins another epoch, from 1: what still waits for its contact from an earlier one will have none. */
type Identity = [epoch: number, contact?: string, account?: string];

const KEY = "identity";
/** Between the members: databases do not keep it in a text, so that no name of theirs holds it. */
const SEPARATOR = "\0";

export const createIdentity = (store: Store) => {
  let last = "";
  /** Read at each event, so that tabs agree. Where the page has emptied the storage, what was last known holds. */
  const read = (): Identity => {
    last = store.get(KEY) || last;
    // What others have written there is nobody.
    const [epoch, contact, account] = last.split(SEPARATOR);
    return Number(epoch) ? [Number(epoch), contact, account] : [1];
  };
  const write = (...next: Identity): void => {
    last = next.join(SEPARATOR);
    store.set(KEY, last);
  };
  return {
    read,
    set: (contact: string, account?: string): void => write(read()[0], contact, account),
    reset: (): void => write(read()[0] + 1),
    /** Keeps the contact, and goes on with what this page holds for the current epoch. */
    adopt: (epoch: number): void => {
      const [, contact, account] = read();
      // A page that knows nobody says nothing: another one may.
      if (last) write(epoch, contact, account);
    },
  };
};
