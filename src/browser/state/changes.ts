/** Tells the page what the visitor allows, and who is named: at once, and after each change, of whichever tab. */
import { attempt } from "../../shared/attempt.js";
import type { ChangeListener } from "../../types.js";
import { identity, who } from "./identity.js";
import { consent } from "./storage.js";

/** Each tells its listener what has changed since it was last told. */
const followers = new Set<() => void>();

export const tellChanges = (): void => followers.forEach(attempt);

/**
 * Tells `listener`, before the first look into the storage with that. Fails where it does, or is no function.
 *
 * @returns ends it
 */
export const follow = (listener: ChangeListener): (() => void) => {
  let told: string;
  const tell = (): void => {
    const before = told;
    // Each log-out is a change, also where nobody was named.
    told = `${[consent, identity[0], who()]}`;
    if (told !== before) listener(consent!, who(), identity[0]!);
  };
  followers.add(tell);
  if (consent || !listener.call) tell();
  return () => followers.delete(tell);
};
