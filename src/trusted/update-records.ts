/** Traits of contacts and accounts, which tracklet's own service takes from whoever runs it. */

import { type CallOptions, checkReach, type Reach } from "./http/reach.js";
import { request } from "./http/request.js";
import { check, checkAddress, checkJson, isObject, isText } from "./http/validate.js";
import { isId, record } from "./parse-records.js";
import type { Account, Contact, Stage } from "./records.js";

/** Where the records are, and who changes them. */
export interface AdminConfig extends Reach {
  /** Address in front of `/v2`, such as `https://api.example.com`. */
  baseUrl: string;
  /** Sent as a bearer token; keep it on servers. */
  adminToken: string;
}

/** What an account has; the record keeps what is left out. */
export interface AccountTraits {
  /** Custom attributes, in place of all that there were. */
  data?: object | undefined;
  stage?: Stage | null | undefined;
  health?: number | string | null | undefined;
  /** As it was read: a `health` that it names was told by the service itself, and is not set. */
  health_source?: string | null | undefined;
  /** Epoch seconds. */
  created_at?: number | undefined;
}

/** What a contact has. */
export interface ContactTraits extends AccountTraits {
  archived?: boolean | undefined;
  /** Uids of accounts that it belongs to, besides those that it does. */
  accounts?: readonly string[] | undefined;
}

type Update<Traits, T> = (config: AdminConfig, uid: string, traits: Traits, options?: CallOptions) => Promise<T>;

const updating =
  <Traits extends object, T extends object>(path: string): Update<Traits, T> =>
  async (config, uid, traits, options) => {
    check(isObject(config), "config: expected an object", config);
    const { adminToken, baseUrl } = config;
    checkAddress("baseUrl", baseUrl);
    check(isText(adminToken, /^[!-~]+$/), "adminToken: expected ASCII without spaces", adminToken && "***");
    checkReach(config);
    check(isId(uid), 'uid: expected a text other than "", "." and ".."', uid);
    check(isObject(traits), "traits: expected an object", traits);
    checkJson("traits", traits);
    return request(
      {
        method: "PUT",
        url: `${baseUrl.replace(/\/*$/, "/v2/")}${path}?uid=${encodeURIComponent(uid)}`,
        headers: { Authorization: `Bearer ${adminToken}`, "Content-Type": "application/json" },
        body: JSON.stringify(traits),
        tokens: [adminToken],
        maxMiB: 16,
        accept: record<T>,
      },
      config,
      options,
    );
  };

/**
 * Makes a contact, or changes what `traits` name of it; resolves to the record. Repeated as look-ups are: the second time
 * changes nothing.
 *
 * @throws TypeError when an argument is wrong; otherwise as the look-ups of `tracklet/read`
 */
export const updateContact: Update<ContactTraits, Contact> = updating("contacts");

/** The same of an account. */
export const updateAccount: Update<AccountTraits, Account> = updating("accounts");
