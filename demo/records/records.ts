import { digest, encodeText, recordId } from "../../src/service/base/exact-text.js";
import { COMPANIES, FAMILY_NAMES, GIVEN_NAMES, PLANS, ROLES, STAGES } from "./names.js";

const CONTACTS = 60;
const USERS = 137;
/** 2025-01-01T00:00:00Z, in seconds: fixed, so that every first start makes the same records. */
const EPOCH = 1_735_689_600;
const DAY = 86_400;
const SEED = 20_250_101;

/** A contact that a visitor of the demo can be. */
export interface Visitor {
  uid: string;
  name: string;
  accounts: { uid: string; name: string }[];
}
/** A small generator of repeatable numbers in [0, 1) (a Weyl sequence through a 32-bit mix): the same seed, the same series. */
export const seededRandom = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
};

/** The demo's accounts, contacts and users; the same ones each time. */
const makeRecords = () => {
  const random = seededRandom(SEED);
  const upTo = (count: number): number => Math.floor(random() * count);
  const pick = <T>(list: readonly T[]): T => list[upTo(list.length)]!;
  const stage = (): string => {
    const index = upTo(STAGES.length);
    return JSON.stringify({ name: STAGES[index], id: `stage-${index + 1}` });
  };
  const fullName = (number: number): string =>
    `${GIVEN_NAMES[number % GIVEN_NAMES.length]} ${FAMILY_NAMES[(number * 7 + Math.floor(number / 24)) % FAMILY_NAMES.length]}`;
  const address = (name: string, number: number, host: string): string =>
    `${name
      .normalize("NFD")
      .replace(/[^A-Za-z ]/g, "")
      .toLowerCase()
      .replace(" ", ".")}.${number}@${host}`;

  const accountUids = COMPANIES.map((_, index) => `account-${String(index + 1).padStart(2, "0")}`);
  const accounts = COMPANIES.map((name, index) => [
    recordId("account", accountUids[index]!),
    encodeText(accountUids[index]!),
    EPOCH + upTo(200) * DAY,
    JSON.stringify({ name, plan: pick(PLANS), seats: 5 + upTo(200) }),
    stage(),
    upTo(101),
  ]);

  const contacts: unknown[][] = [];
  const visitors: Visitor[] = [];
  const accountOf = (at: number) => ({ uid: accountUids[at]!, name: COMPANIES[at]! });
  const memberships: string[][] = [];
  for (let number = 1; number <= CONTACTS; number += 1) {
    const uid = `contact-${String(number).padStart(3, "0")}`;
    const name = fullName(number);
    const id = recordId("contact", uid);
    const data = JSON.stringify({ name, email: address(name, number, "mail.example") });
    contacts.push([id, encodeText(uid), EPOCH + upTo(300) * DAY, number % 20 === 0, data, stage(), upTo(101)]);
    // The first twelve contacts give every account one; every ninth belongs to a second account too.
    const first = number <= accountUids.length ? number - 1 : upTo(accountUids.length);
    const own = [first];
    if (number % 9 === 0) own.push((first + 1 + upTo(11)) % accountUids.length);
    for (const at of own) memberships.push([recordId("account", accountUids[at]!), id]);
    visitors.push({ uid, name, accounts: own.sort((a, b) => a - b).map(accountOf) });
  }

  const users = Array.from({ length: USERS }, (_, index) => {
    const name = fullName(index + 31);
    // Whole days out of sixty: many users share a creation time, as after an import.
    return [
      digest(`user:${index}`),
      address(name, index + 1, "staff.example"),
      name,
      index === 0 ? "admin" : pick(ROLES),
      random() < 0.9,
      EPOCH + upTo(60) * DAY,
    ];
  });

  return { accounts, contacts, memberships, users, visitors };
};

export const RECORDS = makeRecords();
