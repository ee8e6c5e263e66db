/** What is wrong with how contact and account are called. */
import type { Stored } from "../watch/stored.js";

/** A uid as templates and scripts leave it that were given no value. */
const isUnfilled = (uid: string): boolean => /^(undefined|null|NaN|\[object .*\])$|\{\{|\$\{|<%|%%/.test(uid);

export const ofPeople = ({ contact, account }: Stored): string[] =>
  Object.entries({ contact, account })
    .filter(([, uid]) => isUnfilled(uid))
    .map(
      ([who, uid]) =>
        `The ${who} is called "${uid}": what should have put a uid there had none. Give it one, or leave it out where there is no visitor; reset() forgets this one.`,
    );
