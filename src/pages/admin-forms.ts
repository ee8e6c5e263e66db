import { isNoOne } from "../shared/no-one.js";
import { WORDS } from "./cards.js";
import { type Content, make, save } from "./elements.js";
import { isOwnZone, OWN_ZONE } from "./format.js";
import { type LeftOut, type Named, wrongToken } from "./session.js";

/** Asks with the admin token, which is written down nowhere. */
const askAs = async (token: string, method: string, path: string, body?: object): Promise<Response> => {
  const headers = { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) };
  const answer = await fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  if (answer.ok) return answer;
  if (answer.status === 404)
    throw new Error(
      "The service has no admin token, or this record is gone. A token is made by: tracklet-service token create maintenance --kind admin",
    );
  throw new Error(answer.status === 401 ? wrongToken("admin", answer) : (await answer.json()).error);
};

/**
 * What only the operator may do, who gives the admin token each time.
 *
 * @param deed is done with the token and the value of the button; resolves to what is to be said
 */
export const createAdminForm = (deed: (given: string, value: string) => Promise<string>, ...content: Content[]) => {
  const token = make("input", { type: "password", autocomplete: "off", spellcheck: "false", required: true });
  const said = make("p.note", { role: "status" });
  const submit = async (event: Event) => {
    event.preventDefault();
    // A button may be for none of the other fields.
    if (!token.reportValidity()) return;
    const given = token.value.trim();
    const { value } = (event as SubmitEvent).submitter as HTMLButtonElement;
    const doing = deed(given, value);
    form.reset();
    said.textContent = "One moment …";
    said.textContent = await doing.catch((error: Error) => error.message);
  };
  const form = make(
    "form.personal",
    { submit },
    make("label", "Admin token", token),
    make("p.note", "The token is asked for each time, and is not kept."),
    ...content,
    said,
  );
  return form;
};

/** Leaves somebody out of all figures, or takes it in again. @returns what has happened */
export const leaveOut = async (given: string, path: string, isLeftOut: boolean): Promise<string> => {
  await askAs(given, isLeftOut ? "PUT" : "DELETE", `/v2/numbers/${path}/left-out`);
  const done = isLeftOut ? "Left out" : "Counted again";
  return `${done}: the figures follow in a minute or two, those of former days too.`;
};

/** Offers the time zone of the browser where the workspace has another one. @param changed hears that it has this one now */
export const createZone = (changed: () => void) => {
  const set = async (given: string): Promise<string> => {
    await askAs(given, "PUT", "/v2/numbers/time-zone", { time_zone: OWN_ZONE });
    changed();
    return "";
  };
  const button = make("button", { type: "submit", value: "set" }, "Count all days again in this time zone");
  const element = make(
    "details.note",
    { hidden: true },
    make("summary", `Your time zone is ${OWN_ZONE}. Use it for all figures`),
    createAdminForm(set, make("div.actions", button)),
  );
  return {
    element,
    draw(): void {
      element.hidden = isOwnZone();
    },
  };
};

/**
 * What only the operator may do: leave one's own out of all figures; take all that is stored of a person along, and erase it; delete an account.
 *
 * @param view hears what has changed, or that nothing is left to be shown
 */
export const createPersonal = (
  kind: "account" | "contact",
  id: string,
  view: () => { show: () => unknown; end: (text: string) => void },
) => {
  let uid = "";
  let isLeftOut = false;
  const change = () => {
    erasing.disabled = !sure.checked;
  };
  const sure = make("input", { type: "checkbox", id: "sure", change });
  const isPerson = kind === "contact";
  const value = isPerson ? "erase" : "delete";
  const end = isPerson ? "Erase this person" : "Delete its record";
  const erasing = make("button.danger", { type: "submit", value, disabled: true }, end);
  const leaving = make("button", { type: "submit", value: "leave" });
  const show = () => {
    leaving.textContent = isLeftOut
      ? `Count this ${WORDS[kind]} again`
      : `Leave this ${WORDS[kind]} out of all figures`;
  };
  const deeds: Record<string, (given: string) => Promise<string>> = {
    leave: async (given) => {
      const said = await leaveOut(given, `${kind}s/${id}`, !isLeftOut);
      view().show();
      return said;
    },
    export: async (given) => {
      const answer = await askAs(given, "GET", `/v2/contacts/data?uid=${encodeURIComponent(uid)}`);
      const name = `${uid.replace(/[^\p{L}\p{N}_-]/gu, "_").slice(0, 100)}.json`;
      save(name, "application/json", await answer.text());
      return `Saved as ${name}.`;
    },
    erase: async (given) => {
      // In the body: addresses stand in logs.
      const { events } = await (await askAs(given, "POST", "/v2/contacts/erase", { uid })).json();
      view().end(`This person is erased. Events deleted: ${events}.`);
      return "";
    },
    delete: async (given) => {
      await askAs(given, "DELETE", `/v2/accounts/${id}`);
      view().end("This account is deleted. Its events are kept: they belong to the people who did them.");
      return "";
    },
  };
  const gone = isPerson
    ? " Yes, delete the record and all events of this person for good"
    : " Yes, delete this account and the list of its people. The people and their events are kept. If a new event names this account, it comes back.";
  const exporting = make("button", { type: "submit", value: "export" }, "Export all that is stored");
  const form = createAdminForm(
    (given, value) => deeds[value]!(given),
    make("div.actions", leaving),
    ...(isPerson ? [make("div.actions", exporting)] : []),
    make("label.sure", sure, gone),
    make("div.actions", erasing),
  );
  form.addEventListener("reset", () => {
    erasing.disabled = true;
  });
  const none = make(
    "p.down",
    { hidden: true },
    `This is not a real ${WORDS[kind]}: your page sent a placeholder, because it did not know the real uid. Leave it out of all figures, or ${value} it.`,
  );
  const all = isPerson ? "Leave out, export, erase" : "Leave out, delete";
  const fold = make("details", make("summary", `${all} (needs the admin token)`), form);
  return {
    element: make(
      "section.card",
      { "aria-labelledby": "personal-title", "data-card": "personal" },
      make("h2", { id: "personal-title" }, `The data of this ${WORDS[kind]}`),
      none,
      fold,
    ),
    draw({ unique_id }: Named, leftOut: LeftOut["data"]): void {
      uid = unique_id;
      if (none.hidden && isNoOne(uid)) {
        none.hidden = false;
        fold.open = true;
      }
      isLeftOut = leftOut.some((one) => one.id === id);
      show();
    },
  };
};
