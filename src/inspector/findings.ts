/** What is wrong, or worth knowing, in words. */
import type { Heard } from "./heard.js";
import type { Stored } from "./stored.js";

export interface Seen {
  name: string;
  /** `"waiting"`: an array of calls, which no script has taken over. */
  global: "absent" | "waiting" | "loaded";
  /** Calls in that array. */
  calls: number;
  /** The options of the tag; `undefined` where there is none. */
  tag: Record<string, string | undefined> | undefined;
  strange: string[];
  isOnline: boolean;
}

export interface Finding {
  kind: "problem" | "note";
  text: string;
}

const KEPT = "Events are kept, and sent once that is put right.";

const ofStatus = (status: number, address: string): string => {
  const at = address ? ` at ${address}` : "";
  if (status === 401 || status === 403)
    return `The service refuses the API token (status ${status}): check data-api-token. ${KEPT}`;
  if (status === 404 || status === 405)
    return `There is no event endpoint${at} (status ${status}): check data-track-url and data-event-path. ${KEPT}`;
  if (status >= 300 && status < 400)
    return `The address${at} redirects, which is not followed: name the address that it leads to. ${KEPT}`;
  if (status === 429) return "The service asks to send less (status 429). Events are kept and sent later.";
  if (status >= 500 || status === 408 || status === 425)
    return `The service fails (status ${status}). Events are kept and tried again.`;
  return `The service refuses what it is sent (status ${status}): check the event's name and members, and the API token.`;
};

const ofSilence = ({ silence, address }: Heard): string => {
  const at = address || "the service";
  if (silence === "policy")
    return `The page's Content-Security-Policy forbids requests to ${at}: name it in connect-src. ${KEPT}`;
  if (silence === "cors")
    return `Something answers at ${at}, but does not allow this page to read it (CORS): the service must send Access-Control-Allow-Origin and allow the Content-Type header. ${KEPT}`;
  if (silence === "unreachable")
    return `Nothing answers at ${at}: check the address, whether the service runs, and whether an extension of the browser blocks it. Events are kept and tried again.`;
  return "The last request had no answer. Events are kept and tried again.";
};

const ofPage = ({ name, global, calls, tag, strange }: Seen): string[] => {
  const found: string[] = [];
  if (global === "absent") found.push(`There is no tracker on this page: no global is called ${name}.`);
  if (global === "waiting")
    found.push(
      `The script has not loaded, and calls wait (${calls}): check the tag's address, the page's script-src, and whether an extension of the browser blocks it.`,
    );
  if (tag && !tag.apiToken) found.push("The tag has no data-api-token.");
  if (tag && !tag.trackUrl) found.push("The tag has no data-track-url.");
  for (const attribute of strange) found.push(`${attribute} is no option: check how it is written.`);
  return found;
};

export const findingsOf = (seen: Seen, stored: Stored, heard: Heard): Finding[] => {
  const problems = ofPage(seen);
  const notes: string[] = [];
  const [last] = heard.answers;
  if (!seen.isOnline) notes.push("The browser is offline. Events are kept until it is back.");
  else if (last && last.status === 0 && last.event) problems.push(ofSilence(heard));
  else if (last && last.status > 0 && (last.status < 200 || last.status >= 300))
    problems.push(ofStatus(last.status, heard.address));
  const { problems: told } = heard;
  if (told.has("input")) problems.push(`An option or an argument is wrong: ${told.get("input")}.`);
  if (told.has("rejected"))
    problems.push(`An event was dropped, because the service refuses it: ${told.get("rejected")}.`);
  if (told.has("evicted"))
    problems.push(`An event was dropped, because too many wait or too long: ${told.get("evicted")}.`);

  const anonymous = stored.events.filter(({ contact }) => !contact).length;
  if (anonymous > 0) notes.push(`Events wait for identify (${anonymous}): the service needs a contact.`);
  if (!stored.isThere) notes.push("This page has no localStorage: events wait in memory, and end with the page.");
  if (stored.consent === "denied") notes.push("The visitor has refused: nothing is stored or sent.");
  else if (heard.pending > 0 && stored.consent !== "granted")
    notes.push(`Events wait in memory for the visitor's consent (${heard.pending}).`);
  return [
    ...problems.map((text): Finding => ({ kind: "problem", text })),
    ...notes.map((text): Finding => ({ kind: "note", text })),
  ];
};
