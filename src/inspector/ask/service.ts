/** Asks at the service's address, without an event, why requests have no answer that can be read. */
import { insideOf, withoutTls } from "./address.js";
import { ask, isThere, type Met, post, reach } from "./request.js";

export interface ServiceLook {
  /** Is the address in a network into which the visitor must let the page: was it asked, or refused? */
  access: "granted" | "asked" | "refused";
  /** What answers there; `"hangs"`: it takes the request, and says nothing. By `http` alone: `isPlain`. */
  reach?: "there" | "host" | "nowhere" | "hangs";
  isPlain?: boolean;
  isRedirect?: boolean;
  /** What a POST without a preflight meets, one whose preflight asks for nothing, and one as the tracker sends them. */
  plain?: Met;
  preflighted?: Met;
  json?: Met;
}

/** Has the visitor allowed this page to ask there? The names of permissions are those of Chromium 145, and of 142. */
const readAccess = async (place: string): Promise<ServiceLook["access"]> => {
  for (const name of [place === "on this computer" ? "loopback-network" : "local-network", "local-network-access"])
    try {
      const { state } = await navigator.permissions.query({ name: name as PermissionName });
      return state === "granted" ? state : state === "denied" ? "refused" : "asked";
    } catch {
      // This browser has none of that name.
    }
  return "asked";
};

/** @param address of the event endpoint, without its query */
export const lookAtService = async (address: string): Promise<ServiceLook> => {
  const place = insideOf(address, location.origin);
  const access = place ? await readAccess(place) : "granted";
  // Asking would have the browser ask the visitor.
  if (access !== "granted") return { access };
  const first = await ask(address, { method: "POST", body: "", redirect: "manual" });
  if (first === "hang") return { access, reach: "hangs" };
  const found = first ? "there" : await reach(address);
  if (found !== "there") {
    const plain = withoutTls(address, location.origin);
    return { access, reach: found, isPlain: plain !== "" && (await isThere(plain)) };
  }
  return {
    ...{ access, reach: found, isRedirect: first?.type === "opaqueredirect" },
    plain: await post(address, "text/plain"),
    preflighted: await post(address, "text/plain", true),
    json: await post(address, "application/json"),
  };
};
