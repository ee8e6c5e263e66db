/** What Google Tag Manager documents of its templates, as far as ours needs it. Google's own sandbox is not part of it. */

export interface Template {
  info: { type: string; containerContexts: string[] };
  parameters: { name: string; [setting: string]: unknown }[];
  code: string;
  permissions: Permission[];
}

interface Value {
  type: number;
  string?: string;
  boolean?: boolean;
  listItem?: Value[];
  mapKey?: Value[];
  mapValue?: Value[];
}

interface Permission {
  instance: { key: { publicId: string }; param: { key: string; value: Value }[] };
}

/** What a template may do: keys of globals with their rights, and patterns of script addresses. */
export interface Grants {
  globals: Record<string, { read: boolean; write: boolean; execute: boolean }>;
  scripts: string[];
}

/** Reads a template file: sections, each below its name between underscores. */
export const parseTemplate = (text: string): Template => {
  const sections = Object.fromEntries(
    [...text.matchAll(/^___(\w+)___\n(.*?)(?=^___\w+___$|$(?![\s\S]))/gms)].map(([, name, body]) => [name!, body!]),
  );
  const section = (name: string): string => {
    if (sections[name] === undefined) throw new Error(`the template has no section ${name}`);
    return sections[name];
  };
  return {
    info: JSON.parse(section("INFO")),
    parameters: JSON.parse(section("TEMPLATE_PARAMETERS")),
    code: section("SANDBOXED_JS_FOR_WEB_TEMPLATE"),
    permissions: JSON.parse(section("WEB_PERMISSIONS")),
  };
};

const listOf = (permissions: Permission[], id: string, param: string): Value[] =>
  permissions
    .filter(({ instance }) => instance.key.publicId === id)
    .flatMap(({ instance }) => instance.param.filter(({ key }) => key === param))
    .flatMap(({ value }) => value.listItem ?? []);

/** What the permissions of a template allow. */
export const grantsOf = ({ permissions }: Template): Grants => ({
  globals: Object.fromEntries(
    listOf(permissions, "access_globals", "keys").map(({ mapKey = [], mapValue = [] }) => {
      const entry = Object.fromEntries(mapKey.map(({ string }, at) => [string, mapValue[at]]));
      const may = (right: string) => entry[right]?.boolean === true;
      return [entry.key?.string ?? "", { read: may("read"), write: may("write"), execute: may("execute") }];
    }),
  ),
  scripts: listOf(permissions, "inject_script", "urls").map(({ string = "" }) => string),
});

/**
 * Runs the code of a template on a page. It sees `require` and `data`, nothing else; each API checks the grants, and what
 * crosses between the code and the page is copied.
 */
export const runTemplate = (
  code: string,
  { globals, scripts }: Grants,
  data: Record<string, unknown>,
  page: Record<string, unknown>,
  load: (url: string, done: () => void, failed: () => void) => void,
): void => {
  const copy = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));
  const need = (key: string, ...rights: ("read" | "write" | "execute")[]): void => {
    for (const right of rights)
      if (!globals[key]?.[right]) throw new Error(`prohibited: access_globals, ${right} ${key}`);
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
      return (value: unknown) => (page[key] as unknown[]).push(copy(value));
    },
    callInWindow: (path: string, ...args: unknown[]) => {
      need(path, "execute");
      const [owner, method] = path.split(".") as [string, string];
      return (page[owner] as Record<string, (...args: unknown[]) => unknown>)[method]!(...args.map(copy));
    },
    injectScript: (url: string, done: () => void, failed: () => void, token: string) => {
      const allowed = scripts.some((pattern) =>
        pattern.endsWith("*") ? url.startsWith(pattern.slice(0, -1)) : url === pattern,
      );
      if (!allowed) throw new Error(`prohibited: inject_script ${url}`);
      if (token && loaded.has(token)) return done();
      loaded.add(token);
      load(url, done, failed);
    },
    makeTableMap: (rows: Record<string, unknown>[], key: string, value: string) =>
      Object.fromEntries(rows.map((row) => [row[key], row[value]])),
  };
  const require = (name: string): unknown => {
    if (!Object.hasOwn(apis, name)) throw new Error(`no such API: ${name}`);
    return apis[name];
  };
  const scope = new Proxy({ require, data } as Record<string | symbol, unknown>, {
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
