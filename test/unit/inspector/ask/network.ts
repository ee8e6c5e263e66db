/** What a request of the inspector may meet. */
import { vi } from "vitest";

/** What a request meets: an answer, or none. */
export type Network = (options: RequestInit, address: string) => Response | undefined;
export const meet = (network: Network) =>
  vi.stubGlobal(
    "fetch",
    vi.fn(async (address: string, options: RequestInit) => {
      const answer = network(options, address);
      if (!answer) throw new TypeError("Failed to fetch");
      return answer;
    }),
  );
export const there = () => new Response();
export const nowhere = () => undefined;
/** A host that does not let the page read what it answers. */
export const closed: Network = ({ mode }) => (mode === "no-cors" ? new Response() : undefined);
