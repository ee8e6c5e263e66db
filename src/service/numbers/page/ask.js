import { find } from "./base/elements.js";

const KEY = "tracklet.access-token";

/** What the tab keeps; a browser that stores nothing only asks again after a reload. */
const kept = {
  read: () => {
    try {
      return sessionStorage.getItem(KEY) ?? undefined;
    } catch {
      return undefined;
    }
  },
  write: (token) => {
    try {
      if (token === undefined) sessionStorage.removeItem(KEY);
      else sessionStorage.setItem(KEY, token);
    } catch {
      // Storage is denied.
    }
  },
};

/**
 * The form that asks for the access token.
 *
 * @param {{ opened(): void, closed(): void }} told when there is a token, and when there is none any more
 */
export const createAsk = ({ opened, closed }) => {
  const [form, field, error, forget] = ["[data-ask]", "#token", "#token-error", "[data-action=forget]"].map((one) =>
    find(one),
  );
  let token = kept.read();

  const close = (reason = "") => {
    token = undefined;
    kept.write(undefined);
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
  forget.addEventListener("click", () => close());

  return {
    /** Shows the form where there is no token; true where there is one. */
    open() {
      form.hidden = token !== undefined;
      forget.hidden = token === undefined;
      return token !== undefined;
    },
    /** Asks the service. @returns the answer; undefined where the token was wrong, and is asked for again */
    async get(path) {
      const sent = token;
      const answer = await fetch(path, { headers: { authorization: `Bearer ${sent}` } });
      if (answer.status === 401 || sent !== token) {
        if (sent === token)
          close("The service does not know this token. Is it the access token, not the API token of your pages?");
        return undefined;
      }
      const body = await answer.json();
      if (!answer.ok) throw Object.assign(new Error(body.error), { status: answer.status });
      // One that was wrong is not kept.
      kept.write(sent);
      return body;
    },
  };
};
