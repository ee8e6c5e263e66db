/** What the scripts that stand in the page say of a tracker. Whether they ran, nobody can tell from them. */

export interface Inline {
  /** Is anything called, by `push` or as a method? */
  calls: boolean;
  /** Is `identify` called as a method? That fails before our script has loaded. */
  identifiesDirectly: boolean;
  /** Is an array put in the tracker's place, also where there is a tracker? */
  replaces: boolean;
  /** Names of the options in a call of `init`. */
  options: string[];
}

/** The types of scripts that browsers run (HTML §4.12.1, and MIME Sniffing §4.6). */
const RUNS = /^(module|(text|application)\/(x-)?(java|ecma)script(1\.\d)?|text\/(j|live)script)?$/i;

export const runs = (type: string): boolean => RUNS.test(type);

const ownText = ({ src, type, text }: HTMLScriptElement): string => (!src && runs(type) ? text : "");

/** The members of the object that follows `init(` or `["init",`, up to one within it. */
const optionsIn = (text: string): string[] => {
  const [, members = ""] = /\binit["'`]?\s*[,(]\s*\{([^{}]*)/.exec(text) ?? [];
  const names = members.replace(/(:\s*)("[^"]*"|'[^']*'|`[^`]*`)/g, "$1");
  return [...names.matchAll(/["']?([A-Za-z_$][\w$]*)["']?\s*:/g)].map(([, name]) => name!);
};

/** @param name of the tracker */
export const readInline = (name: string): Inline => {
  const texts = [...document.scripts].map(ownText).filter((text) => text.includes(name));
  const has = (pattern: string): boolean => texts.some((text) => RegExp(pattern).test(text));
  const global = `(?<![\\w$])${name.replace(/[^\w]/g, "\\$&")}`;
  return {
    calls: has(`${global}(\\.\\w+\\(|\\s*=)`),
    identifiesDirectly: has(`${global}\\.identify\\(`),
    replaces: texts.some(
      (text) => RegExp(`${global}\\s*=\\s*\\[`).test(text) && !RegExp(`${global}\\s*\\|\\|`).test(text),
    ),
    options: texts.flatMap(optionsIn),
  };
};
