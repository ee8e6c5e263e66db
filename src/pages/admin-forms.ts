import { isNone } from "./cards.js";
import { type Content, make, save } from "./elements.js";
import { isOwnZone, OWN_ZONE } from "./format.js";
import type { LeftOut, Named } from "./session.js";

/** Asks with the admin token, which is written down nowhere. */
const askAs = async (token: string, method: string, path: string, body?: object): Promise<Response> => {
  const headers = { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) };
  const answer = await fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  if (answer.ok) return answer;
  if (answer.status === 404)
    throw new Error(
      "The service has no admin token, or this record no longer. The first is made by: tracklet-service token create maintenance --kind admin",
    );
  // How a program sends it is no help here.
  throw new Error((await answer.json()).error.replace(/[:,] send Authorization.*/, ""));
};

/**
 * What only the operator may do, who gives the admin token each time.
 *
 * @param deeds by the values of the buttons; each resolves to what is to be said
 */
const createAdminForm = (deeds: Record<string, (given: string) => Promise<string>>, ...content: Content[]) => {
  const token = make("input", {
    ...{ type: "password", id: "admin-token", autocomplete: "off", spellcheck: "false", required: true },
  });
  const said = make("p.note", { role: "status" });
  const submit = async (event: Event) => {
    event.preventDefault();
    const given = token.value.trim();
    const { value } = (event as SubmitEvent).submitter as HTMLButtonElement;
    form.reset();
    said.textContent = "One moment …";
    said.textContent = await deeds[value]!(given).catch((error: Error) => error.message);
  };
  const form = make(
    "form.personal",
    { submit },
    make("label", { for: "admin-token" }, "Admin token"),
    token,
    make("p.note", "It is asked for each time, and kept nowhere."),
    ...content,
    said,
  );
  return form;
};

/** Offers the time zone of the browser where the workspace has another one. @param changed hears that it has this one now */
export const createZone = (changed: () => void) => {
  const set = async (given: string): Promise<string> => {
    await askAs(given, "PUT", "/v2/numbers/time-zone", { time_zone: OWN_ZONE });
    changed();
    return "";
  };
  const button = make("button", { type: "submit", value: "set" }, "Count all days anew in it");
  const element = make(
    "details.note",
    { hidden: true },
    make("summary", `Your time zone is ${OWN_ZONE}: count by its days`),
    createAdminForm({ set }, make("div.actions", button)),
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
 * @param erased hears that nothing is left to be shown
 */
export const createPersonal = (kind: "account" | "contact", id: string, erased: (text: string) => void) => {
  let uid = "";
  let isLeftOut = false;
  const change = () => {
    erasing.disabled = !sure.checked;
  };
  const sure = make("input", { type: "checkbox", id: "sure", change });
  const isPerson = kind === "contact";
  const value = isPerson ? "erase" : "delete";
  const end = isPerson ? "Erase this contact" : "Delete its record";
  const erasing = make("button.danger", { type: "submit", value, disabled: true }, end);
  const leaving = make("button", { type: "submit", value: "leave" });
  const show = () => {
    leaving.textContent = isLeftOut ? `Count this ${kind} again` : `Leave this ${kind} out of all figures`;
  };
  const deeds: Record<string, (given: string) => Promise<string>> = {
    leave: async (given) => {
      await askAs(given, isLeftOut ? "DELETE" : "PUT", `/v2/numbers/${kind}s/${id}/left-out`);
      isLeftOut = !isLeftOut;
      show();
      return isLeftOut ? "It counts nowhere; the figures follow in a moment." : "It counts again in a moment.";
    },
    export: async (given) => {
      const answer = await askAs(given, "GET", `/v2/contacts/data?uid=${encodeURIComponent(uid)}`);
      save("contact.json", "application/json", await answer.text());
      return "Saved as contact.json.";
    },
    erase: async (given) => {
      // In the body: addresses stand in logs.
      const { events } = await (await askAs(given, "POST", "/v2/contacts/erase", { uid })).json();
      erased(`Erased. Events that went with it: ${events}.`);
      return "";
    },
    delete: async (given) => {
      await askAs(given, "DELETE", `/v2/accounts/${id}`);
      erased("Its record is deleted. Its events stay with their contacts.");
      return "";
    },
  };
  const gone = isPerson
    ? " Its record and all its events shall be gone for good"
    : " Its record and memberships shall be gone; its events stay with their contacts, and the next one that names it makes it anew";
  const exporting = make("button", { type: "submit", value: "export" }, "Export all that is stored");
  const form = createAdminForm(
    deeds,
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
    "This is no real one: a page has sent what it has not filled in. Leave it out of all figures, or delete its record.",
  );
  const fold = make("details", make("summary", "With the admin token"), form);
  return {
    element: make(
      "section.card",
      { "aria-labelledby": "personal-title", "data-card": "personal" },
      make("h2", { id: "personal-title" }, isPerson ? "Leave out, export, erase" : "Leave out, delete"),
      ...[none, fold],
    ),
    draw({ unique_id }: Named, leftOut: LeftOut["data"]): void {
      uid = unique_id;
      if (none.hidden && isNone(uid)) {
        none.hidden = false;
        fold.open = true;
      }
      isLeftOut = leftOut.some((one) => one.id === id);
      show();
    },
  };
};
