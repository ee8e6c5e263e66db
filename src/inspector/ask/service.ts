/** Asks at the service's address, without an event, why requests have no answer that can be read. */
import { EVENT_PATH, insideOf } from "./address.js";
import { ask, type Met, post, reach } from "./request.js";

export interface ServiceLook {
  /** What answers there; `"hangs"`: it takes the request, and says nothing; `"inside"`: the browser would ask the visitor first. */
  reach: "there" | "host" | "nowhere" | "hangs" | "inside";
  isRedirect?: boolean;
  /** What a POST without a preflight meets, and one as the tracker sends them. */
  plain?: Met;
  /** Where the service would be by its usual path, if it is there. */
  usual?: string;
  json?: Met;
}

/** @param address of the event endpoint, without its query */
export const lookAtService = async (address: string): Promise<ServiceLook> => {
  if (insideOf(address, location.origin)) return { reach: "inside" };
  // Past the page's own `fetch`. A redirect it follows, which the tracker does not.
  const json = await post(address, "application/json");
  if (json.status > 0 && !json.leadsTo) return { reach: "there", plain: json, json };
  const first = await ask(address, { method: "POST", body: "", redirect: "manual" });
  if (first === "hang") return { reach: "hangs" };
  const found = first ? "there" : await reach(address);
  if (found !== "there") return { reach: found };
  const plain = await post(address, "text/plain");
  const usual = new URL(EVENT_PATH, address).href;
  const isUsual = [0, 404, 405].includes(plain.status) && usual !== address && (await post(usual, "text/plain")).status;
  return { reach: found, isRedirect: first?.type === "opaqueredirect", plain, json, usual: isUsual ? usual : "" };
};
