/** Who a contact is, signed by the site's server for its page. */
import { check, checkWhole, isText, uidText } from "./http/validate.js";

/** Whom the page may speak for, and for how long. */
export interface Identity {
  /** Unique id of the contact, as `identify` gets it. */
  contactUid: string | number;
  /** Unique id of the account, as `identify` gets it; none unless set. */
  accountUid?: string | number | undefined;
  /** Seconds for which the proof is good, 1 to 86,400; an hour unless set. */
  expiresIn?: number | undefined;
}

const DAY_S = 86_400;

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;

/**
 * Signs who the visitor is, for `identify(contact, account, { proof })` in the page. The secret is the one of the service's
 * option `TRACKLET_IDENTITY_SECRET`, and never leaves the server.
 *
 * @returns the proof: `1.<issued>.<expires>.<HMAC-SHA256>`, with seconds since 1970
 * @throws TypeError when an argument is wrong
 */
export const proveIdentity = async (
  secret: string,
  { contactUid, accountUid = "", expiresIn = 3_600 }: Identity,
): Promise<string> => {
  check(isText(secret, /^.{32,}$/), "secret: expected a text of at least 32 characters", secret && "***");
  const [contact, account] = [contactUid, accountUid].map(uidText);
  check(isText(contact, /./s), "contactUid: expected a text that is not empty", contact);
  check(isText(account, /^/), "accountUid: expected a text", account);
  checkWhole("expiresIn", expiresIn);
  check(expiresIn > 0 && expiresIn <= DAY_S, "expiresIn: expected seconds, 1 to 86,400", expiresIn);
  const issued = Math.floor(Date.now() / 1_000);
  const members = [`${contact}`, `${account}`, `${issued}`, `${issued + expiresIn}`];
  // The length in bytes before each member: nothing can be shifted from one into the next.
  const message = members.map((member) => `${bytesOf(member).length}:${member}`).join("");
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytesOf(secret), algorithm, false, ["sign"]);
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", key, bytesOf(message)));
  const hex = [...signature].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `1.${issued}.${issued + expiresIn}.${hex}`;
};
