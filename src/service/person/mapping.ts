import { type Static, Type } from "typebox";
import { Compile } from "typebox/compile";
import { digest, filledText, parseJson } from "../base/exact-text.js";
import { findMember } from "../base/json-text.js";

const strict = { additionalProperties: false };
/** Where something is in a line: names with dots between, of several places the first one that has it. */
const Places = Type.Union([Type.String({ minLength: 1 }), Type.Array(Type.String({ minLength: 1 }), { minItems: 1 })]);
const Mapping = Type.Object(
  {
    id: Type.Optional(Places),
    /** What a line is: not each is an event. */
    kind: Type.Optional(Places),
    /** Of the kinds that tell of a contact: where what they tell is. */
    traits: Type.Optional(Type.Record(Type.String(), Places)),
    /** Kinds that are left out. */
    leave_out: Type.Optional(Type.Array(Type.String())),
    contact_uid: Places,
    /** Who a visitor is that nobody has named: those are left out unless they are asked for. */
    anonymous_uid: Type.Optional(Places),
    event_uid: Places,
    received_at: Places,
    occurred_at: Type.Optional(Places),
    params: Type.Optional(Places),
    /** Members of the params that are elsewhere in a line. */
    add: Type.Optional(Type.Record(Type.String({ minLength: 1 }), Places)),
    /** Names of events that are called otherwise here. */
    rename: Type.Optional(Type.Record(Type.String(), Type.String({ minLength: 1 }))),
  },
  strict,
);
type Mapping = Static<typeof Mapping>;
const MAPPING = Compile(Mapping);

/** A line as `export events` would have written it, and the text of its params, letter by letter. */
export interface Mapped {
  line: Record<string, unknown>;
  params: string;
}

/** What a line says of a contact. */
export interface Told {
  unique_id: unknown;
  created_at: number | undefined;
  data: unknown;
}

/** What becomes of the lines of a file. */
export interface Reading {
  /** An event, or in words what else the line is. */
  event(line: string): Mapped | string;
  contact(line: string): Told | undefined;
}

/**
 * @param isAnonymousToo whether visitors whom nobody has named are taken, too
 * @returns what reads lines by it, or what is wrong with it
 */
export const readMapping = (text: string, isAnonymousToo = false): Reading | string => {
  const mapping = parseJson(text);
  if (mapping === undefined) return "it is no JSON";
  const [error] = MAPPING.Errors(mapping);
  if (error !== undefined) {
    const name = error.instancePath.slice(1).replaceAll("/", ".") || "it";
    // What JSON Schema says of a member that is not allowed.
    return `${name} ${error.message === "schema is false" ? "is not known" : error.message}`;
  }
  const { anonymous_uid, ...rest } = mapping as Mapping;
  const anonymous = [anonymous_uid ?? []].flat();
  const own = { ...rest, contact_uid: [rest.contact_uid, isAnonymousToo ? anonymous : []].flat() };
  const isNobody = (line: string) =>
    find(line, own.contact_uid) === undefined && anonymous.some((place) => find(line, place) !== undefined);
  const { kind, traits = {}, leave_out = [], received_at } = own;
  const traitsIn = (line: string) => traits[String(value(line, kind))];
  return {
    event: (line) => {
      const what = String(value(line, kind));
      if (leave_out.includes(what)) return `of the kind ${what}`;
      if (isNobody(line)) return "of anonymous visitors, which --anonymous imports";
      return traitsIn(line) === undefined ? mapLine(line, own) : `of the kind ${what}, which are no events`;
    },
    contact: (line) => {
      const places = traitsIn(line);
      if (places === undefined || isNobody(line)) return undefined;
      const at = time(value(line, received_at));
      const created_at = at === undefined ? undefined : Math.floor(at / 1_000);
      return { unique_id: uid(value(line, own.contact_uid)), created_at, data: value(line, places) ?? {} };
    },
  };
};

const mapLine = (text: string, { id, contact_uid, event_uid, received_at, params, ...others }: Mapping): Mapped => {
  const { add = {}, rename = {}, occurred_at } = others;
  const name = uid(value(text, event_uid));
  const sent = params === undefined ? undefined : find(text, params);
  const own = id === undefined ? undefined : find(text, id);
  const members = withMembers(sent ?? "{}", text, add);
  const parsed = parseJson(members);
  return {
    params: members,
    line: {
      // The same for the same line, so that an import that broke off is begun anew.
      id: digest(own ?? text),
      received_at: time(value(text, received_at)),
      ...(occurred_at !== undefined && { occurred_at: time(value(text, occurred_at)) ?? null }),
      contact_uid: uid(value(text, contact_uid)),
      account_uid: accountOf(parsed),
      event_uid: typeof name === "string" && Object.hasOwn(rename, name) ? rename[name] : name,
      params: parsed,
    },
  };
};

const value = (line: string, places: Static<typeof Places> | undefined): unknown => {
  const found = places === undefined ? undefined : find(line, places);
  return found === undefined ? undefined : JSON.parse(found);
};

/** The text of the first member that is there and is not null or empty. */
const find = (text: string, places: string | string[]): string | undefined => {
  for (const place of [places].flat()) {
    let found: string | undefined = text;
    for (const name of place.split(".")) found = found?.startsWith("{") ? findMember(found, name)?.text : undefined;
    if (found !== undefined && found !== "null" && found !== '""') return found;
  }
  return undefined;
};

/** An object with members of the line that it does not have itself. */
const withMembers = (object: string, line: string, add: Record<string, Static<typeof Places>>): string => {
  if (!object.startsWith("{")) return object;
  const added = Object.entries(add).flatMap(([name, places]) => {
    const found = findMember(object, name) === undefined ? find(line, places) : undefined;
    return found === undefined ? [] : [`${JSON.stringify(name)}:${found}`];
  });
  const inner = object.slice(1, -1).trim();
  return added.length === 0 ? object : `{${[...(inner === "" ? [] : [inner]), ...added].join(",")}}`;
};

const accountOf = (params: unknown): string | null => filledText(Object(params).account_uid) ?? null;

const uid = (value: unknown): unknown => (Number.isSafeInteger(value) ? String(value) : value);

/** Epoch milliseconds of a text (UTC where it names no zone), of seconds, or of milliseconds. */
const time = (value: unknown): number | undefined => {
  if (typeof value === "number") return Math.round(value < 100_000_000_000 ? value * 1_000 : value);
  if (typeof value !== "string") return undefined;
  const at = Date.parse(/(z|[+-]\d\d:?\d\d)$/i.test(value) || !value.includes(":") ? value : `${value}Z`);
  return Number.isNaN(at) ? undefined : at;
};
