import { contactOptions, loadContacts } from "./contacts.js";
import { recall, remember } from "./memory.js";
import { watchQueue } from "./queue.js";

const CHOICES = {
  granted: "You have agreed: this browser stores and sends what you do here.",
  denied: "You have refused: nothing is stored or sent, and what waited is gone.",
  "": "You have not chosen. This demo tracks you until you refuse.",
};

/** Who the visitor is: `[contact, account]`, each `{ uid, name }`; nothing while that is nobody. */
export const readVisitor = () => recall("visitor");

/**
 * Brings to life the form that says who the visitor is, and the two answers to whether tracking is allowed.
 *
 * @param {Element} card
 * @param {(verb: string, ...args: unknown[]) => unknown} perform calls a verb of the tracker
 * @param {() => void} [changed] called when the visitor has changed
 */
export const mountVisitor = (card, perform, changed = () => {}) => {
  const find = (selector) => card.querySelector(selector);
  const select = find("#contact");
  const form = find("[data-form=identify]");

  const show = () => {
    const [contact, account] = readVisitor() ?? [];
    const who = find("[data-who]");
    if (who)
      who.textContent = contact
        ? `You are ${contact.name}${account.uid ? `, of ${account.name}` : ""}.`
        : "You are a stranger: events wait here until you identify.";
    changed();
  };
  const become = (visitor) => {
    remember("visitor", visitor);
    show();
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const [contact, account] = JSON.parse(select.value);
    become([contact, account]);
    perform("identify", ...[contact.uid, account.uid].filter(Boolean));
  });
  find("[data-action=reset]")?.addEventListener("click", () => {
    become(null);
    perform("reset");
  });
  find("[data-action=agree]").addEventListener("click", () => perform("optIn"));
  find("[data-action=refuse]").addEventListener("click", () => {
    // The tracker forgets it as well.
    become(null);
    perform("optOut");
  });
  watchQueue(({ consent }) => {
    const text = CHOICES[consent] ?? CHOICES[""];
    if (find("[data-choice]").textContent !== text) find("[data-choice]").textContent = text;
  });

  show();
  // Another tab of the demo changes who the visitor is, here as well.
  addEventListener("storage", show);
  loadContacts().then((contacts) => {
    select.replaceChildren(...contactOptions(contacts));
    const visitor = JSON.stringify(readVisitor());
    if ([...select.options].some((option) => option.value === visitor)) select.value = visitor;
    select.disabled = false;
    form.querySelector("[type=submit]").disabled = false;
  });
};
