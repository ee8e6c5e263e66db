/*
 * Where the visitor is: the page by the path, what it shows by the fragment, which no server sees. A link is therefore all that there is to
 * send, and to go back to.
 */

/** Filters of events, by the parameter that `GET /v2/numbers` has for each, and what they are called. */
export const FILTERS = {
  name: { parameter: "event_uid", label: "Event" },
  host: { parameter: "host", label: "Host" },
  path: { parameter: "path", label: "Path" },
  referrer: { parameter: "referrer", label: "Came from" },
  account: { parameter: "account", label: "Account" },
};
const TIME = ["span", "from", "to"];

export const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The name of the page, and the id of whose it is. */
export const readPath = () => {
  const [kind = "", id] = location.pathname.split("/").filter(Boolean);
  if (kind === "") return { page: location.hash === "#live" ? "live" : "numbers" };
  return { page: id === undefined ? kind : kind.slice(0, -1), id };
};

/** What the fragment says. */
export const readState = () => Object.fromEntries(new URLSearchParams(location.hash.slice(1)));

const toHash = (state) => {
  const entries = Object.entries(state).filter(([, value]) => value !== undefined && value !== "");
  return entries.length === 0 ? "" : `#${new URLSearchParams(entries)}`;
};

/** A link to this page with some of its state changed: `undefined` takes a part away. */
export const hereWith = (changes) => location.pathname + toHash({ ...readState(), ...changes });

const of = (names, state) =>
  Object.fromEntries(names.filter((name) => name in state).map((name) => [name, state[name]]));
/** A link to another page, which shows the same time. */
export const linkTo = (path, more = {}) => path + toHash({ ...of(TIME, readState()), ...more });
export const linkToAccount = ({ id }, more) =>
  linkTo(`/accounts/${id}`, { ...of(["name", "path", "host"], readState()), ...more });
export const linkToContact = ({ id }) => `/contacts/${id}`;

/** A change that is no step to go back to, as each letter of a search. */
export const replaceState = (changes) => history.replaceState(null, "", hereWith(changes));
export const go = (changes) => location.assign(hereWith(changes));

/** The day of a time, as a calendar's field has it. */
export const dayOf = (time) => new Date(time).toLocaleDateString("sv");

export const chosenSpan = (state) => (state.from || state.to ? undefined : (state.span ?? "7d"));

/** What the service is asked for: the time, and the filters. */
export const toQuery = (state, more = {}) => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(of(["from", "to"], state))) query.set(name, value);
  if (chosenSpan(state)) query.set("span", chosenSpan(state));
  query.set("time_zone", zone);
  for (const [name, { parameter }] of Object.entries(FILTERS)) if (state[name]) query.set(parameter, state[name]);
  for (const [name, value] of Object.entries(more)) if (value !== undefined && value !== "") query.set(name, value);
  return query;
};
