/** What is wrong with calls: with those that wait for the script, and with those that the tracker has told of. */
import { closest } from "./closest.js";
import { adviceOn, mistakesInInit } from "./options.js";

const VERBS = [
  "init",
  "identify",
  "track",
  "pageview",
  "flush",
  "reset",
  "identity",
  "consent",
  "optIn",
  "optOut",
  "debug",
];

const GIVE_TEXT = "give a text that is not empty.";
const NO_CONTACT = `identify was given no contactUid: ${GIVE_TEXT}`;
const NO_NAME = `track was given no eventUid: ${GIVE_TEXT}`;

const isUid = (value: unknown): boolean => Number.isSafeInteger(value) || (typeof value === "string" && value !== "");

/** A verb that does not exist. */
const unknownVerb = (verb: unknown): string => {
  const meant = closest(String(verb), VERBS);
  return `There is no verb "${String(verb)}", which push was given: ${meant ? `perhaps "${meant}" is meant` : `the verbs are ${VERBS.join(", ")}`}.`;
};

const mistakesInCall = (call: unknown): string[] => {
  if (!Array.isArray(call)) return ['push was given no call: a call is an array, such as ["track", "signup"].'];
  const [verb, first] = call;
  if (!VERBS.includes(verb)) return [unknownVerb(verb)];
  if (verb === "init") return mistakesInInit(first);
  if (verb === "identify" && !isUid(first)) return [NO_CONTACT];
  if (verb === "track" && !(typeof first === "string" && first)) return [NO_NAME];
  return [];
};

/** What is wrong with calls that wait in an array, each thing once, in words. */
export const mistakesInCalls = (calls: readonly unknown[]): string[] => [...new Set(calls.flatMap(mistakesInCall))];

const KNOWN: Record<string, string> = {
  "init: params":
    'The option params is no object: it is left out. In a tag it is JSON, such as data-params=\'{"plan":"team"}\'.',
  "init: formerToken":
    "Events of another token wait in this browser, and are left alone. If that token was corrected or replaced, name it as formerToken (data-former-token): they are delivered then. If it is another application's on this origin, give each a name of its own (data-name).",
  "init again: apiToken":
    "A second script tag, or a second call of init, has another apiToken. The first one holds: leave one alone, or load the script again with a data-name of its own.",
  "no init": "A thousand calls wait for init, and more of them are dropped: nothing configures the tracker.",
  "track: eventUid": NO_NAME,
  "identify: contactUid": NO_CONTACT,
  "identify: accountUid": `identify was given an accountUid that is none: leave it out, or ${GIVE_TEXT}`,
};

/**
 * What the tracker calls a wrong option or argument (`"input"`), in words.
 *
 * @param detail as the console has it, behind the name of the tracker
 */
export const ofInput = (detail: string): string => {
  const known = KNOWN[detail];
  if (known) return known;
  const [, wrong] = /^init: (.+)/.exec(detail) ?? [];
  if (wrong) return `An option is missing or wrong: ${adviceOn(wrong.split(", "))}`;
  const [, verb] = /^no verb (.+)/.exec(detail) ?? [];
  // Of a text in place of a call, the first letter is taken for the verb.
  if (verb?.length === '"t"'.length)
    return `push was given a text: a call is an array, such as push(["track", "signup"]).`;
  if (verb?.startsWith("[")) return "push was given a list of calls in one array: give it each call by itself.";
  if (verb) return unknownVerb(verb.replace(/"/g, ""));
  const [, thrown] = /^beforeSend: (.+)/.exec(detail) ?? [];
  if (thrown) return `beforeSend has failed, and its events are dropped: ${thrown}. Correct this function of the page.`;
  const [, name, params] = /^(.+): params(\..+)?$/.exec(detail) ?? [];
  if (params) return `${params.slice(1)} in the params of ${name} cannot be written as JSON: it is left out.`;
  if (name) return `The params of ${name} are no object: they are left out. Give an object, such as { plan: "team" }.`;
  return `An option or an argument is wrong: ${detail}.`;
};
