import { mountVisitor } from "./visitor.js";

/** Calls kept in the list on the page. */
const CALLS_SHOWN = 20;

/** What is wrong with the visitor's JSON, as a sentence; or the params. */
const readParams = (text) => {
  let params;
  try {
    params = JSON.parse(text.trim() || "{}");
  } catch (error) {
    return { problem: `The params are not valid JSON: ${error.message}.` };
  }
  const isObject = typeof params === "object" && params !== null && !Array.isArray(params);
  return isObject ? { params } : { problem: 'The params must be a JSON object, such as { "plan": "team" }.' };
};

/**
 * Brings the card "Act as a visitor" to life. How a call reaches the tracker is the page's own affair.
 *
 * @param {(verb: string, ...args: unknown[]) => unknown} call calls a verb of the tracker
 * @param {(verb: string, args: string) => string} write how this page writes such a call, for the list of calls
 */
export const mountControls = (call, write) => {
  const card = document.querySelector("[data-controls]");
  const find = (selector) => card.querySelector(selector);
  const calls = find("[data-calls]");
  const form = (name) => find(`[data-form=${name}]`);

  const note = (text) => {
    find(".empty")?.remove();
    const item = document.createElement("li");
    item.textContent = text;
    calls.prepend(item);
    while (calls.children.length > CALLS_SHOWN) calls.lastChild.remove();
    return item;
  };

  const perform = async (verb, ...args) => {
    const item = note(write(verb, args.map((arg) => JSON.stringify(arg)).join(", ")));
    const result = await call(verb, ...args);
    if (result) item.textContent += ` → ${JSON.stringify(result)}`;
  };

  mountVisitor(card, perform);

  form("registration").addEventListener("submit", (event) => {
    event.preventDefault();
    perform("track", "registration", { display_name: event.target.elements.display_name.value });
  });

  form("own").addEventListener("submit", (event) => {
    event.preventDefault();
    const { event_uid: name, params: json } = event.target.elements;
    const { params, problem } = readParams(json.value);
    const nameless = name.value.trim() ? "" : "Give the event a name in event_uid.";
    name.setAttribute("aria-invalid", String(nameless !== ""));
    json.setAttribute("aria-invalid", String(problem !== undefined));
    find("[data-own-error]").textContent = [nameless, problem].filter(Boolean).join(" ");
    if (nameless) name.focus();
    else if (problem) json.focus();
    else perform("track", name.value.trim(), params);
  });

  find("[data-action=flush]").addEventListener("click", () => perform("flush"));

  return { perform };
};
