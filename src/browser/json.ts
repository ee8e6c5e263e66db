/** JSON that a page cannot spoil. */
import type { Params } from "../declared.js";

/** Passes over a `toJSON` that a script of the page has put on every object or array, as old versions of Prototype.js do. */
function unpolluted(this: Params, key: string, written: unknown): unknown {
  const value = this[key] as Params | null | undefined;
  const polluted = [Object.prototype, Array.prototype].map((prototype) => (prototype as Params).toJSON);
  return polluted.includes(value?.toJSON) ? value : written;
}

/** `JSON.stringify`. It throws for a cycle, a BigInt, a getter that throws, and for what is nested too deep. */
export const write = (value: unknown): string =>
  // The replacer only where it is needed, because it slows each call down.
  JSON.stringify(value, "toJSON" in Array.prototype ? unpolluted : undefined);
