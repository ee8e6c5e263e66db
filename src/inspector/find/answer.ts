/** What the service answers: to the preflight, to the event, and whether it is the service at all. */
import { isOwnSite } from "../ask/address.js";
import { bad, type Cause, type Evidence, good, isGood, isPage, type Look, unknown, waits } from "./evidence.js";
import { KEPT, ofOwnSite, ofStatus, ofUsual } from "./status.js";
import { toldAt } from "./told.js";

export const preflight = (evidence: Evidence): Look => {
  const { page, activity } = evidence;
  const { address, service, exchanges } = activity;
  if (address && isOwnSite(address, page.origin)) return good("none is needed: it is the page's own origin");
  if (evidence.isBlind) return good("none is needed for text/plain");
  if (exchanges.some(({ status }) => status > 0)) return good("allowed: an answer came through");
  const { plain, json } = service ?? {};
  if (!plain?.status || json?.status) return unknown("not seen");
  return bad(
    `POST without a preflight: ${plain.status}; with one, for Content-Type: application/json: no answer`,
    `The service answers POST, but not OPTIONS as it must: with a status of 2xx, no redirect, Access-Control-Allow-Origin: ${page.origin} (or *), and Access-Control-Allow-Headers: Content-Type. Something in front of the service may answer OPTIONS by itself, as with 405. ${KEPT}`,
  );
};

const ofSilence = (evidence: Evidence): Cause => {
  const { service, address } = evidence.activity;
  const { origin } = evidence.page;
  const { reach, isRedirect, plain } = service ?? {};
  const command = `curl -i -X POST -H 'Origin: ${origin}' -H 'Content-Type: application/json' '${address}'`;
  return (
    (reach === "hangs" &&
      `Something takes requests at ${address}, and does not answer: check the service and its log. Events are kept and tried again.`) ||
    (isRedirect &&
      `${address} redirects, which is not followed: name the address that it leads to, ${plain?.leadsTo || "which you see where you open it in a tab"}. ${KEPT}`) ||
    (!plain?.status && ofUsual(evidence)) ||
    (reach === "there" &&
      !plain?.status &&
      `Something answers at ${address}, but does not allow this page to read it (CORS), not even where there is no preflight. The answer must have one header Access-Control-Allow-Origin: ${origin} (or *). It has none, as the error page of a proxy (502); or two, where proxy and service each add one; or one for another origin. No browser shows a page which of them; this command does: ${command}. ${KEPT}`)
  );
};

export const answered = (evidence: Evidence): Look => {
  const { page, stored, activity, last } = evidence;
  const { service, answers } = activity;
  // What an earlier panel has heard of the refusal that led to the pause.
  const isOf = ({ status }: { status: number }): boolean => !last || last.status === status;
  const found = last?.isHeard || stored.pauseMs === 0 ? last : (answers.find(isOf) ?? last);
  const words = found?.words ? `, ${found.words}` : "";
  const seen = found ? `${found.status || "no answer that can be read"}${words}` : "no answer";
  if (!page.isOnline || service?.reach === "inside") return unknown(seen);
  // What the browser itself has kept of a request may lack the answer. A pause says that there was none, as does a request of the panel's.
  const isSilent = found
    ? found.status === 0 && (found.isHeard || stored.pauseMs > 0 || service)
    : service?.reach === "hangs" && stored.readyMs > 0;
  if (isSilent || (found?.status === 302 && service)) {
    const cause = ofSilence(evidence);
    return cause ? bad(seen, cause) : unknown(seen);
  }
  if (found?.status && !isGood(found.status)) return bad(seen, ofStatus(evidence, found));
  const rejected = toldAt("Answered", activity);
  if (rejected.some(Boolean)) return bad(seen, ...rejected);
  return found?.status ? good(seen) : unknown(seen);
};

const LOST = "Events are taken for delivered, and are most likely stored nowhere.";
const BLIND =
  "With text/plain no answer can be read: an event that the service refuses is lost, and nobody is told. Where the service allows this page (CORS), leave data-content-type out.";

export const kept = (evidence: Evidence): Look => {
  const { activity, page, last } = evidence;
  const { address, service } = activity;
  if (evidence.isBlind && evidence.hasRequests) return waits("no answer can be read", BLIND);
  if (!last || !isGood(last.status)) return unknown("nothing yet");
  // What was said before the panel came, it asks for without an event: the service refuses that.
  const asked = last.isHeard ? undefined : service?.plain;
  const words = last.words || (asked && isGood(asked.status) ? asked.words : "");
  const seen = `${last.status}${last.isHeard ? `: ${words || "no words"}` : ""}${asked ? `; a request without an event: ${asked.status} ${asked.words}` : ""}`;
  const isWebPage = isPage(last.answerType) || asked?.isPage;
  if (isWebPage && isOwnSite(address, page.origin))
    return bad(seen, `${ofOwnSite(address, "a web page, HTML")} ${LOST}`);
  const isError = /"(error|errors|message)"\s*:|"(ok|success)"\s*:\s*false/.test(words);
  const what = isWebPage ? `it is a web page (HTML)${words && `, "${words}"`}` : `it speaks of an error: ${words}`;
  if (isWebPage || isError)
    return bad(
      seen,
      `The answer is good, but ${what}. ${LOST} Check data-api-token, data-track-url and data-event-path.`,
    );
  return last.isHeard || asked ? good(seen) : unknown(seen);
};
