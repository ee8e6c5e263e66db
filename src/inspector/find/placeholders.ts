/** Values that nobody has filled in: what templates leave, and the documents' examples. */
import type { Stored } from "../watch/stored.js";

const TEMPLATE = /\{\{|\{%|[$#]\{|<%|<\?|\[\[|%%|\*\||^\[object .*\]$|^\{.*\}$|^%.*%$|^@Model\b/;
/** As a template's author writes it, to be replaced. */
const TO_REPLACE =
  /^(YOUR|MY|THE)_|^(USER|CONTACT|CUSTOMER|VISITOR|MEMBER|CLIENT|ACCOUNT|COMPANY|TENANT)_?(UID|ID|NAME)$/;
/** What scripts make of a visitor who is none. */
const NOBODY = /^(undefined|null|none|nil|nan|true|false|0|-1|guest|anonymous|unknown)$/i;
const EXAMPLE = /^(contact-(17|42)|account-(4|7)|YOUR_.*|(https?:\/\/)?([\w-]+\.)*example\.(com|net|org)(\/.*)?)$/;

/** Is it one of those that this project's documents have? */
export const isExample = (value: unknown): boolean => EXAMPLE.test(`${value}`);

/** Is it what a template leaves that nothing has filled in? */
export const isTemplate = (value: unknown): boolean => TEMPLATE.test(`${value}`) || TO_REPLACE.test(`${value}`);

/** What is wrong with how contact and account are called. */
export const ofPeople = ({ contact, account }: Stored): string[] =>
  Object.entries({ contact, account }).flatMap(([who, uid]) => {
    if (isExample(uid))
      return `The ${who} is called "${uid}", as in the documents: put the uid there that this ${who} has with you. Call reset() first, which forgets this one.`;
    return isTemplate(uid) || NOBODY.test(uid)
      ? `The ${who} is called "${uid}": what should have put a uid there had none. Give it one, or leave it out where there is no visitor; reset() forgets this one.`
      : [];
  });
