/** The script of the tag has loaded. */
import { isMixed } from "../ask/address.js";
import { runs } from "../watch/inline.js";
import type { Tag } from "../watch/tags.js";
import { bad, type Cause, type Evidence, good, type Look, policyOn, unknown } from "./evidence.js";
import { isExample } from "./rules.js";

/** Which hash the tag has in place of one, while the browser minds it not. */
const ofIntegrity = ({ integrity }: Tag): Cause =>
  /…|\.\.\.$/.test(integrity) &&
  `integrity="${integrity}" is the documents' example, which no browser minds: copy the hash of your build, or take it away.`;

/** What the tag itself says that is wrong, before anything is asked for. */
const ofTag = (tag: Tag, { page }: Evidence): Cause[] => {
  const { src, type, href, integrity, crossOrigin, markup } = tag;
  const isFile = page.href.startsWith("file:") && src.startsWith("file:");
  const isElsewhere = src !== "" && new URL(src).origin !== page.origin;
  return [
    !src && (href ? `The tag has href="${href}" in place of src: a script is loaded by src.` : "The tag has no src."),
    !runs(type) &&
      `By its type no browser runs the tag: ${markup}. A tool has put that there${page.consentTool && ` (${page.consentTool}, most likely)`}, which holds scripts back until the visitor agrees, moves or clicks: allow the script there, or take the type away.`,
    isExample(src) && `${src} is the documents' example: write where your copy of the script is.`,
    ofIntegrity(tag),
    isMixed(src, page.origin) &&
      `The page is https, and the script's address is http: the browser loads no such script (mixed content). Write https://.`,
    isFile &&
      (integrity || crossOrigin) &&
      `A page that was opened as a file may not load it with crossorigin or integrity. Take both away.`,
    isElsewhere &&
      integrity &&
      !crossOrigin &&
      `The tag has integrity, but no crossorigin, which a script from another host needs then. Add crossorigin.`,
  ];
};

/** What asking for the script has shown. */
const ofLook = ({ type, integrity, crossOrigin, src, address }: Tag, evidence: Evidence): Cause => {
  const policy = policyOn(evidence, "script-src", src, "Name its host there, or give the tag the page's nonce.");
  const found = evidence.activity.script;
  if (policy || !found) return policy;
  const isRead = found.status > 0;
  const [asks, cure] = type === "module" ? ['type="module"', "the type"] : ["crossorigin", "crossorigin and integrity"];
  return (
    (found.status >= 400 && `The answer at ${address} is ${found.status}. Check the address in src.`) ||
    (isRead &&
      !(found.isOurs && /script/.test(found.type)) &&
      `What answers at ${address} is not the script as a whole (${found.type}): ${found.begins || "nothing"}. Check src, the copy of the file, its type (text/javascript), and whether an extension of the browser has put that there.`) ||
    (!found.hasHash &&
      `The file there is not the one that integrity names (${integrity}). Copy the hash of this file.`) ||
    (!isRead &&
      policyOn(evidence, "connect-src", src, "So this panel cannot ask what is there: open the address in a tab.")) ||
    (!isRead &&
      found.reach === "there" &&
      (crossOrigin || type === "module") &&
      `Something is there, but its host does not let this page read it, which ${asks} asks for: let the host send Access-Control-Allow-Origin: *, or take ${cure} away.`) ||
    (found.reach === "host" &&
      `Nothing comes from ${address}, though its host answers at another path: most likely an extension of the browser blocks it. Try without extensions; for visitors who have one, give the file another name.`) ||
    (found.reach === "nowhere" &&
      `Nothing answers at ${address}. Check the address in src, and whether an extension of the browser blocks it.`) ||
    (!found.wasAsked &&
      !evidence.page.isRecordFull &&
      `The file is there, and the browser has never asked for it: so it is with a tag that a script put in by innerHTML (take createElement), and with one that has nomodule.`)
  );
};

export const loaded = (evidence: Evidence): Look => {
  const [tag] = evidence.page.tags;
  const { script } = evidence.activity;
  if (!tag) return evidence.isRunning ? good("with the app") : unknown("no tag");
  const causes = evidence.isRunning ? [ofIntegrity(tag)] : ofTag(tag, evidence);
  if (causes.some(Boolean)) return bad(tag.address || tag.markup, ...causes);
  if (evidence.isRunning) return good(tag.src);
  const answer = script?.status ? `${script.status} ${script.type}` : "no answer that this page may read";
  const seen = `${tag.address}: ${answer}`;
  const cause = ofLook(tag, evidence);
  if (cause) return bad(seen, cause);
  return script?.status ? good(seen) : unknown("it is asked for");
};
