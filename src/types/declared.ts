/** The events that an app declares, and what their calls look like then. */

/** Free parameters of an event. Whatever `JSON.stringify` makes of them is sent. */
export type Params = Record<string, unknown>;

/**
 * The events of an app: their names, with the type of their params, or `undefined` where they have none. An app declares its
 * own in `declare module "tracklet" { interface Events { … } }`; without that, every name and all params will do.
 */
// biome-ignore lint/suspicious/noEmptyInterface: to be filled by apps
export interface Events {}

/** Names that may be tracked. */
export type EventName<Declared> = [keyof Declared] extends [never] ? string : keyof Declared & string;

/**
 * What an app declares beside its events: `declare module "tracklet" { interface Settings { stamp: false } }`, where it gives the
 * option `stamp: false`, makes the names of the stamp free for params of its own.
 */
// biome-ignore lint/suspicious/noEmptyInterface: to be filled by apps
export interface Settings {}

/** Members of the stamp: an event that had one of its own would go without the stamp. */
export type TakenName = Settings extends { stamp: false }
  ? never
  : "event_id" | "occurred_at" | "event_source" | "event_seq";

/** What the compiler names at such a member: "Type 'string' is not assignable to type 'NameOfTheStamp'". */
interface NameOfTheStamp {
  readonly needsStampFalse: never;
}

/** Refuses members whose names are taken. */
type Untaken<Given, Taken> = {
  [Member in keyof Given as Member extends Taken ? Member : never]?: NameOfTheStamp;
};

/** What any event may have beside its own params. */
export interface CommonParams {
  account_uid?: string | undefined;
  display_name?: string | undefined;
}

/** An object, be it one of an interface or a class: no list, and none of what JSON makes `{}` or nothing of. */
export type ParamsObject =
  | Params
  | (object & { [Symbol.iterator]?: never; [Symbol.toStringTag]?: never; [Symbol.hasInstance]?: never });

/** Params of a page: none of their names is taken. */
export type PageParams = ParamsObject & { [Name in TakenName]?: NameOfTheStamp };

/** What JSON makes nothing or `{}` of, or cannot write, and nodes of a page. Methods of an object are left out, as JSON does. */
type Unsendable =
  | bigint
  | symbol
  | RegExp
  | PromiseLike<unknown>
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>
  | { readonly nodeType: number; readonly nodeName: string };

/** What the compiler names where something would not arrive: "Type 'bigint' is not assignable to type 'NotWrittenAsJson'". */
interface NotWrittenAsJson {
  readonly jsonCannotHoldThis: never;
}

/** An `Error` is told by its stack: a form may well have a name and a message. Of `any`, such as parsed JSON, nothing is known. */
type IsUnsendable<Given> = 0 extends 1 & Given
  ? never
  : Given extends Unsendable
    ? true
    : Given extends Error
      ? "stack" extends keyof Given
        ? true
        : never
      : never;

/** Params and members that would not arrive are refused. */
type Sendable<Given> = [IsUnsendable<Given>] extends [never]
  ? { [Member in keyof Given]: [IsUnsendable<Given[Member]>] extends [never] ? Given[Member] : NotWrittenAsJson }
  : NotWrittenAsJson;

/** The params of one declared event. */
type ParamsOf<Declared, Name, Taken> = Name extends keyof Declared
  ? [NonNullable<Declared[Name]>] extends [never]
    ? CommonParams
    : Sendable<NonNullable<Declared[Name]>> & Untaken<NonNullable<Declared[Name]>, Taken> & CommonParams
  : never;

/** The params that fit all of these events: what each of them needs. */
type ParamsOfAll<Declared, Name, Taken> = (
  Name extends unknown
    ? (params: ParamsOf<Declared, Name, Taken>) => void
    : never
) extends (params: infer All) => void
  ? All
  : never;

/** Those of the names whose events need params. */
type Needing<Declared, Name> = Name extends keyof Declared
  ? undefined extends Declared[Name]
    ? never
    : Record<never, never> extends Declared[Name]
      ? never
      : Name
  : never;

/**
 * What follows the name in `track`: the declared params, which may be left out where none of them is required. Of a name that is
 * one of several, what each of them needs. A function of an app's own that tracks takes these:
 * `<Name extends EventName<Events>>(name: Name, ...params: TrackArguments<Events, Name>) => track(name, ...params)`.
 */
export type TrackArguments<Declared, Name, Given = ParamsObject, Taken = TakenName> = [keyof Declared] extends [never]
  ? [params?: (Given & Sendable<Given> & Untaken<Given, Taken>) | undefined]
  : [Needing<Declared, Name>] extends [never]
    ? [params?: ParamsOfAll<Declared, Name, Taken> | undefined]
    : [params: ParamsOfAll<Declared, Name, Taken>];

/** Names that a recorded event may have: those of the app, of page views, and of the add-ons. */
export type RecordedName<Declared = Events> =
  | EventName<Declared>
  | "pageview"
  | "file_downloaded"
  | "link_clicked"
  | "page_active";

/** Params of a recorded event: those that the app has declared. */
export type RecordedParams<Declared, Name> = Name extends keyof Declared
  ? Declared[Name] extends undefined
    ? CommonParams
    : NonNullable<Declared[Name]> & CommonParams
  : Name extends "pageview"
    ? Params & { visit_url: string }
    : Params;
