import type { Static } from "typebox";
import type * as Schemas from "../service/numbers/number-schemas.js";
import { find } from "./elements.js";
import { dayOf, times } from "./format.js";

/* What the service answers, by its own schemas. */
export type Numbers = Static<typeof Schemas.Numbers>;
export type Accounts = Static<typeof Schemas.Accounts>;
export type Contacts = Static<typeof Schemas.Contacts>;
export type OneAccount = Static<typeof Schemas.OneAccount>;
export type OneContact = Static<typeof Schemas.OneContact>;
export type TimeLine = Static<typeof Schemas.TimeLine>;
export type Returning = Static<typeof Schemas.Returning>;
export type Steps = Static<typeof Schemas.Steps>;
export type Questions = Static<typeof Schemas.Questions>;
export type Answer = Static<typeof Schemas.Answer>;
export type LeftOut = Static<typeof Schemas.LeftOut>;
export interface Named {
  id: string;
  unique_id: string;
  name: string;
}

const KEY = "tracklet.access-token";
/** What tabs tell each other beside the token. */
const [ASKS, FORGET] = ["?", "!"];

/** What the tab keeps; a browser that stores nothing only asks again after a reload. */
const recall = (): string | undefined => {
  try {
    return sessionStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
};
const remember = (token: string | undefined): void => {
  try {
    if (token === undefined) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, token);
  } catch {
    // Storage is denied.
  }
};

/** What is wrong with a token. */
export const wrongToken = (wanted: "access" | "admin", { headers }: Response): string => {
  const [, kind] = /kind="(\w+)"/.exec(headers.get("www-authenticate") ?? "") ?? [];
  return kind === undefined
    ? "The service does not know this token."
    : `This token is of the kind ${kind}: the ${wanted} token is wanted.`;
};

export type Ask = ReturnType<typeof createAsk>;

/**
 * The form that asks for the access token.
 *
 * @param told when there is a token, and when there is none any more
 */
export const createAsk = ({ opened, closed }: { opened: () => void; closed: () => void }) => {
  const [form, field, error] = [find("[data-ask]"), find<HTMLInputElement>("#token"), find("#token-error")];
  const forget = find("[data-action=forget]");
  let token = recall();
  // A tab that is opened by a link asks those that are open: nothing but their own storage and memory has the token.
  const tabs = new BroadcastChannel(KEY);
  tabs.addEventListener("message", ({ data }: MessageEvent<string>) => {
    if (data === ASKS) tabs.postMessage(recall() ?? "");
    else if (data === FORGET) close();
    else if (data && token === undefined) {
      token = data;
      opened();
    }
  });
  if (token === undefined) tabs.postMessage(ASKS);

  const close = (reason = "") => {
    token = undefined;
    remember(undefined);
    closed();
    error.textContent = reason;
    field.setAttribute("aria-invalid", String(reason !== ""));
    field.focus();
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    token = field.value.trim();
    if (!token) return;
    field.value = "";
    error.textContent = "";
    opened();
  });
  forget.addEventListener("click", () => {
    tabs.postMessage(FORGET);
    close();
  });

  return {
    /** Shows the form where there is no token; true where there is one. */
    open(): boolean {
      form.hidden = token !== undefined;
      forget.hidden = token === undefined;
      return token !== undefined;
    },
    /** Asks the service. @returns the answer; undefined where the token was wrong, and is asked for again */
    async get<T>(path: string): Promise<T | undefined> {
      const sent = token;
      const answer = await fetch(path, { headers: { authorization: `Bearer ${sent}` } });
      if (answer.status === 401 || sent !== token) {
        if (sent === token) close(wrongToken("access", answer));
        return undefined;
      }
      const body = await answer.json();
      if (!answer.ok) throw Object.assign(new Error(body.error), { status: answer.status });
      // One that was wrong is not kept.
      remember(sent);
      times.zone = body.time_zone ?? times.zone;
      if (body.before) times.hasBefore = body.first_on === null || dayOf(body.before.to - 1) >= body.first_on;
      return body;
    },
  };
};
