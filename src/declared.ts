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

/** What any event may have beside its own params. */
export interface CommonParams {
  account_uid?: string;
  display_name?: string;
}

/** What follows the name in `track`: the declared params, which may be left out where none of them is required. */
export type TrackArguments<Declared, Name> = [keyof Declared] extends [never]
  ? [params?: Params]
  : Name extends keyof Declared
    ? Record<never, never> extends Declared[Name]
      ? [params?: Declared[Name] & CommonParams]
      : undefined extends Declared[Name]
        ? [params?: NonNullable<Declared[Name]> & CommonParams]
        : [params: Declared[Name] & CommonParams]
    : never;
