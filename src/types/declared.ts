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

/** An object, be it one of an interface or a class: no list, no event of a page, and none of what JSON makes `{}` or nothing of. */
export type ParamsObject =
  | Params
  | (object & {
      [Symbol.iterator]?: never;
      [Symbol.toStringTag]?: never;
      [Symbol.hasInstance]?: never;
      preventDefault?: never;
    });

/** Params of a page: none of their names is taken. */
export type PageParams = ParamsObject & { [Name in TakenName]?: NameOfTheStamp };

/** What JSON makes nothing or `{}` of, or cannot write. */
type Unsendable =
  | bigint
  | symbol
  | RegExp
  | PromiseLike<unknown>
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>
  /** Buffers, and views of them. */
  | { readonly [Symbol.toStringTag]: string }
  /** Files, and answers of the network. */
  | { arrayBuffer(): unknown }
  /** Nodes of a page, and windows. */
  | { dispatchEvent(event: never): boolean }
  /** Events of a page. */
  | { preventDefault(): void };

/** What the compiler names where something would not arrive: "Type 'bigint' is not assignable to type 'NotWrittenAsJson'". */
interface NotWrittenAsJson {
  readonly jsonCannotHoldThis: never;
}

/**
 * What would not arrive is refused, down to so many levels. Of `any`, such as parsed JSON, nothing is known. An `Error` is told by
 * its stack: a form may well have a name and a message. Functions are refused where they are members of their own; those of a
 * class or an interface, which an index signature would not take, are methods: JSON leaves them out.
 */
type Sendable<Given, Levels extends unknown[] = [1, 2, 3, 4], Holder = unknown> = 0 extends 1 & Given
  ? Given
  : Given extends { toJSON(): unknown }
    ? Given
    : Given extends Unsendable | (Error & ("stack" extends keyof Given ? unknown : never))
      ? NotWrittenAsJson
      : Given extends (...args: never) => unknown
        ? Holder extends Params | readonly unknown[]
          ? NotWrittenAsJson
          : Given
        : Given extends object
          ? Levels extends [unknown, ...infer Less]
            ? { [Member in keyof Given]: Sendable<Given[Member], Less, Given> }
            : Given
          : Given;

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
  ? [Name] extends [""]
    ? [aNameIsNotEmpty: never]
    : [params?: (Given & Sendable<Given> & Untaken<Given, Taken>) | undefined]
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
