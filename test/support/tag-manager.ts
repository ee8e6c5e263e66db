/** What Google Tag Manager documents of its templates, as far as ours needs it. Google's own sandbox is not part of it. */

/** A value of the permissions, which tell its type. */
interface Value {
  string?: string;
  boolean?: boolean;
  listItem?: Value[];
  mapKey?: Value[];
  mapValue?: Value[];
}

type Right = "read" | "write" | "execute";

/** What a template may do: globals with their rights, and patterns of script addresses. */
export interface Grants {
  globals: ({ key: string } & Record<Right, boolean>)[];
  scripts: string[];
}

export interface Template {
  info: { type: string; containerContexts: string[] };
  parameters: { name: string }[];
  code: string;
  grants: Grants;
}

const plain = ({ string, boolean, listItem, mapKey, mapValue }: Value): unknown =>
  string ??
  boolean ??
  listItem?.map(plain) ??
  Object.fromEntries(mapKey!.map((key, at) => [plain(key), plain(mapValue![at]!)]));

/** Reads a template file: sections, each below its name between underscores. */
export const parseTemplate = (text: string): Template => {
  const parts = text.split(/^___(\w+)___$/m).slice(1);
  const section = (name: string): string => parts[parts.indexOf(name) + 1]!;
  const permissions: { instance: { key: { publicId: string }; param: { value: Value }[] } }[] = JSON.parse(
    section("WEB_PERMISSIONS"),
  );
  const [globals, scripts] = ["access_globals", "inject_script"].map((id) =>
    permissions
      .filter(({ instance }) => instance.key.publicId === id)
      .flatMap(({ instance }) => plain(instance.param[0]!.value)),
  );
  return {
    info: JSON.parse(section("INFO")),
    parameters: JSON.parse(section("TEMPLATE_PARAMETERS")),
    code: section("SANDBOXED_JS_FOR_WEB_TEMPLATE"),
    grants: { globals, scripts } as Grants,
  };
};

/**
 * Runs the code of a template on a page. It sees `require` and `data`, nothing else; each API checks the grants, and what
 * crosses between the code and the page is copied.
 */
export const runTemplate = (
  { code, grants: { globals, scripts } }: Pick<Template, "code" | "grants">,
  data: Record<string, unknown>,
  page: Record<string, unknown>,
  load: (url: string, done: () => void, failed: () => void) => void,
): void => {
  const copy = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));
  const need = (key: string, ...rights: Right[]): void => {
    for (const right of rights)
      if (!globals.some((global) => global.key === key && global[right]))
        throw new Error(`prohibited: access_globals, ${right} ${key}`);
  };
  page.loadedByTagManager ??= new Set<string>();
  const loaded = page.loadedByTagManager as Set<string>;
  const apis: Record<string, unknown> = {
    copyFromWindow: (key: string) => {
      need(key, "read");
      return typeof page[key] === "object" && page[key] !== null ? {} : page[key];
    },
    createQueue: (key: string) => {
      need(key, "read", "write");
      page[key] ??= [];
      if (!Array.isArray(page[key])) throw new Error(`${key} is no array`);
    },
    callInWindow: (path: string, ...args: unknown[]) => {
      need(path, "execute");
      const [owner, method] = path.split(".") as [string, string];
      return (page[owner] as Record<string, (...args: unknown[]) => unknown>)[method]!(...args.map(copy));
    },
    injectScript: (url: string, done: () => void, failed: () => void, token: string) => {
      // Ours ends with a star.
      if (!scripts.some((pattern) => url.startsWith(pattern.slice(0, -1))))
        throw new Error(`prohibited: inject_script ${url}`);
      if (token && loaded.has(token)) return done();
      loaded.add(token);
      load(url, done, failed);
    },
    makeTableMap: (rows: Record<string, unknown>[], key: string, value: string) =>
      Object.fromEntries(rows.map((row) => [row[key], row[value]])),
  };
  const scope = new Proxy({ require: (name: string) => apis[name], data } as Record<string | symbol, unknown>, {
    has: () => true,
    get: (names, name) => {
      if (typeof name === "symbol" || Object.hasOwn(names, name)) return names[name];
      throw new ReferenceError(`not in the sandbox: ${name}`);
    },
    set: (_, name) => {
      throw new ReferenceError(`not in the sandbox: ${String(name)}`);
    },
  });
  new Function("scope", `with (scope) { (function () {\n${code}\n})(); }`)(scope);
};
