/** What the tracker calls a wrong option or argument (`"input"`), in words. */
import { unknownVerb } from "./calls.js";

const UID = "give a text that is not empty.";
const OTHER_TRACKER =
  "A second script tag, or a second call of init, has another token or name. The first one holds: give a second tracker a name of its own (data-name).";

const KNOWN: Record<string, string> = {
  "init: name": OTHER_TRACKER,
  "init: apiToken": OTHER_TRACKER,
  "init: consent":
    "A second script tag, or a second call of init, has another consent. The first one holds: leave only the one that your banner needs.",
  "init: params":
    'The option params is no object: it is left out. In a tag it is JSON, such as data-params=\'{"plan":"team"}\'.',
  "track: eventUid": `track was given no eventUid: ${UID}`,
  "identify: contactUid": `identify was given no contactUid: ${UID}`,
  "identify: accountUid": `identify was given an accountUid that is none: leave it out, or ${UID}`,
};

/** @param detail as the console has it, behind the name of the tracker */
export const ofInput = (detail: string): string => {
  const known = KNOWN[detail];
  if (known) return known;
  const [, verb] = /^no verb (.+)/.exec(detail) ?? [];
  // Of a text in place of a call, the first letter is taken for the verb.
  if (verb?.length === '"t"'.length)
    return `push was given a text: a call is an array, such as push(["track", "signup"]).`;
  if (verb?.startsWith("[")) return "push was given a list of calls in one array: give it each call by itself.";
  if (verb) return unknownVerb(verb.replace(/"/g, ""));
  const [, name, params] = /^(\w+): params(\..+)?$/.exec(detail) ?? [];
  if (params) return `${params.slice(1)} in the params of ${name} cannot be written as JSON: it is left out.`;
  if (name) return `The params of ${name} are no object: they are left out. Give an object, such as { plan: "team" }.`;
  return `An option or an argument is wrong: ${detail}.`;
};
