/** Calls that wait in an array for the script: what is wrong with them shows before it has loaded. */
import { closest } from "./closest.js";
import { mistakesInInit } from "./options.js";

const VERBS = ["init", "identify", "track", "pageview", "flush", "reset", "consent", "optIn", "optOut", "debug"];

const isUid = (value: unknown): boolean => Number.isSafeInteger(value) || (typeof value === "string" && value !== "");

/** A verb that does not exist. */
export const unknownVerb = (verb: unknown): string => {
  const meant = closest(String(verb), VERBS);
  return `There is no verb "${String(verb)}", which push was given: ${meant ? `perhaps "${meant}" is meant` : `the verbs are ${VERBS.join(", ")}`}.`;
};

const mistakesInCall = (call: unknown): string[] => {
  if (!Array.isArray(call)) return ['push was given no call: a call is an array, such as ["track", "signup"].'];
  const [verb, first] = call;
  if (!VERBS.includes(verb)) return [unknownVerb(verb)];
  if (verb === "init") return mistakesInInit(first);
  if (verb === "identify" && !isUid(first)) return ["identify was given no contactUid: give a text that is not empty."];
  if (verb === "track" && !(typeof first === "string" && first))
    return ["track was given no eventUid: give a text that is not empty."];
  return [];
};

/** What is wrong with calls, each thing once, in words. */
export const mistakesInCalls = (calls: readonly unknown[]): string[] => [...new Set(calls.flatMap(mistakesInCall))];
