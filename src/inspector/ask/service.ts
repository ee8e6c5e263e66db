/** Asks at the service's address, without an event, why requests have no answer that can be read. */
import { insideOf } from "./address.js";
import { ask, type Met, post, reach } from "./request.js";

export interface ServiceLook {
  /** What answers there; `"hangs"`: it takes the request, and says nothing; `"inside"`: the browser would ask the visitor first. */
  reach: "there" | "host" | "nowhere" | "hangs" | "inside";
  isRedirect?: boolean;
  /** What a POST without a preflight meets, and one as the tracker sends them. */
  plain?: Met;
  json?: Met;
}

/** @param address of the event endpoint, without its query */
export const lookAtService = async (address: string): Promise<ServiceLook> => {
  if (insideOf(address, location.origin)) return { reach: "inside" };
  const first = await ask(address, { method: "POST", body: "", redirect: "manual" });
  if (first === "hang") return { reach: "hangs" };
  const found = first ? "there" : await reach(address);
  if (found !== "there") return { reach: found };
  return {
    ...{ reach: found, isRedirect: first?.type === "opaqueredirect" },
    plain: await post(address, "text/plain"),
    json: await post(address, "application/json"),
  };
};
