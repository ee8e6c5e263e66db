/** Why the script of a tag has not loaded, in words. */

const isElsewhere = (src: string): boolean => new URL(src).origin !== location.origin;

/** How long the browser may take to tell of a violation of the page's policy, in milliseconds. */
const VIOLATION_MS = 100;

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Has the page's policy forbidden this script, before the panel was opened? Only Chromium keeps reports for those who ask late. */
const isForbidden = async (src: string): Promise<boolean> => {
  if (typeof ReportingObserver === "undefined") return false;
  let isFound = false;
  const observer = new ReportingObserver(
    (reports) => {
      for (const { body } of reports as unknown as { body: { effectiveDirective?: string; blockedURL?: string } }[])
        isFound ||= !!body.effectiveDirective?.startsWith("script-src") && body.blockedURL === src;
    },
    { types: ["csp-violation"], buffered: true },
  );
  observer.observe();
  await wait(VIOLATION_MS);
  observer.disconnect();
  return isFound;
};

/** What the tag itself forbids, before anything is asked for. */
const ofTag = async ({ src, type, integrity, crossOrigin }: HTMLScriptElement): Promise<string> => {
  if (type && !/^module$|(java|ecma)script/i.test(type))
    return `its type is "${type}", so the browser does not run it. Take the type away, or let the consent tool that has put it there allow the script.`;
  if (location.protocol === "file:" && src.startsWith("file:") && (integrity || crossOrigin !== null))
    return "a page that was opened as a file may not load it with crossorigin or integrity. Take both away.";
  if (integrity && crossOrigin === null && isElsewhere(src))
    return "the tag has integrity, but no crossorigin, which a script from another host needs then. Add crossorigin.";
  if (await isForbidden(src))
    return "the page's Content-Security-Policy forbids it. Name its host in script-src, or give the tag the page's nonce.";
  return "";
};

/** Asks for the script once more, as the browser did for the tag. @returns nothing where there is no readable answer */
const ask = (src: string, options: RequestInit = {}): Promise<Response | undefined> =>
  fetch(src, { credentials: "same-origin", referrerPolicy: "origin", ...options }).catch(() => undefined);

const ofSilence = async ({ src, crossOrigin }: HTMLScriptElement): Promise<string> => {
  let isBlind = false;
  const onViolation = ({ effectiveDirective }: SecurityPolicyViolationEvent): void => {
    isBlind ||= effectiveDirective === "connect-src";
  };
  document.addEventListener("securitypolicyviolation", onViolation);
  const isThere = !!(await ask(src, { mode: "no-cors" }));
  await wait(VIOLATION_MS);
  document.removeEventListener("securitypolicyviolation", onViolation);
  if (isBlind)
    return "why, this panel cannot ask: the page's connect-src forbids it. Open the address in a tab of its own.";
  if (!isThere) return "nothing answers there. Check the address, and whether an extension of the browser blocks it.";
  if (crossOrigin !== null)
    return "its host does not let this page read it, which crossorigin asks for. Let the host send Access-Control-Allow-Origin: *, or take crossorigin and integrity away.";
  return "something answers there, but what it is cannot be seen from this page. Open the address in a tab of its own.";
};

/**
 * @param tag of a script that should have run and has not
 * @returns what is wrong, with what to do
 */
const explain = async (tag: HTMLScriptElement): Promise<string> => {
  const { src, integrity } = tag;
  if (!src) return "The tag has no src.";
  const at = `The script at ${src} has not loaded`;
  const known = await ofTag(tag);
  if (known) return `${at}: ${known}`;
  const answer = await ask(src);
  if (!answer) return `${at}: ${await ofSilence(tag)}`;
  if (!answer.ok) return `${at}: the answer is ${answer.status}. Check the address in src.`;
  if (/html/.test(answer.headers.get("Content-Type") ?? ""))
    return `${at}: the answer is a web page (HTML), and no script. Check the address in src.`;
  if (integrity && !(await ask(src, { integrity })))
    return `${at}: the file there is not the one that integrity names. Copy the value that belongs to this file.`;
  return `${at}, though it is there: it is under way, or the page's script-src or an extension of the browser forbids it.`;
};

/** Gives a function that looks at a tag whose script has not run, once each, when the page has loaded, and tells of the reason. */
export const createScriptCheck = (tell: (reason: string) => void) => {
  let examined: HTMLScriptElement | undefined;
  return (tag: HTMLScriptElement | undefined): void => {
    if (!tag || tag === examined || document.readyState !== "complete") return;
    examined = tag;
    explain(tag).then(tell, () => {});
  };
};
