import type { Span } from "../service/numbers/number-schemas.js";

/*
 * Where the visitor is: the page by the path, what it shows by the fragment, which no server sees. A link is therefore all that there is to
 * send, and to go back to.
 */

/** What the fragment says; `undefined` takes a part away. */
export type State = Record<string, string | undefined>;

export const SPANS: Record<Span, string> = { "24h": "24 hours", "7d": "7 days", "30d": "30 days", "90d": "90 days" };
/** Filters of events, by the parameter that `GET /v2/numbers` has for each, and what they are called. */
export const FILTERS = {
  name: { parameter: "event_uid", label: "Event" },
  host: { parameter: "host", label: "Host" },
  path: { parameter: "path", label: "Path" },
  referrer: { parameter: "referrer", label: "Came from" },
  account: { parameter: "account", label: "Account" },
  health: { parameter: "health", label: "Health" },
  without: { parameter: "without", label: "Did not do" },
};
/** What says which time is shown. */
export const TIME = ["span", "from", "to"];

/** The name of the page, and the id of whose it is. */
export const readPath = (): { page: string; id?: string | undefined } => {
  const [kind = "", id] = location.pathname.split("/").filter(Boolean);
  if (kind === "") return { page: location.hash === "#live" ? "live" : "numbers" };
  return { page: id === undefined ? kind : kind.slice(0, -1), id };
};
export const readState = (): State => Object.fromEntries(new URLSearchParams(location.hash.slice(1)));

const given = (state: State) => Object.entries(state).filter((entry): entry is [string, string] => Boolean(entry[1]));
export const only = (names: readonly string[], state: State): State =>
  Object.fromEntries(given(state).filter(([name]) => names.includes(name)));
const toHash = (state: State): string => {
  const query = new URLSearchParams(given(state));
  return query.size === 0 ? "" : `#${query}`;
};

/** A link to this page with some of its state changed. */
export const hereWith = (changes: State): string => location.pathname + toHash({ ...readState(), ...changes });
/** The change that shows one day. */
export const onDay = (day: string): State => ({ from: day, to: day, span: undefined });
/** A link to another page, which shows the same time. */
export const linkTo = (path: string, more: State = {}): string =>
  path + toHash({ ...only(TIME, readState()), ...more });
export const linkToAccount = ({ id }: { id: string }): string =>
  linkTo(`/accounts/${id}`, only(["name", "path", "host"], readState()));
export const linkToContact = ({ id }: { id: string }): string => linkTo(`/contacts/${id}`);

/** A change that is no step to go back to, as each letter of a search. */
export const replaceState = (changes: State): void => history.replaceState(null, "", hereWith(changes));
export const go = (changes: State): void => location.assign(hereWith(changes));

export const chosenSpan = ({ from, to, span = "7d" }: State): string | undefined => (from || to ? undefined : span);

/** The filters in force, as the service is asked by them. */
export const filtersOf = (state: State): [parameter: string, value: string][] =>
  Object.entries(FILTERS).flatMap(([name, { parameter }]) => (state[name] ? [[parameter, state[name]]] : []));
/** What the service is asked for: the time, and the filters. */
export const toQuery = (state: State, more: State = {}): string => {
  const time = { ...only(["from", "to"], state), span: chosenSpan(state) };
  return new URLSearchParams([...given(time), ...filtersOf(state), ...given(more)]).toString();
};
