/** Modules of the browser part with a state of their own, as a page has them that was just loaded. */
import { Window } from "happy-dom";
import { vi } from "vitest";
import type { Config } from "../../../src/types.js";

export const OPTIONS = { name: "t", apiToken: "token", trackUrl: "https://track.example" };

/** Evaluates all modules anew, and configures them. What `load` imports belongs together. */
export const fresh = async <Module>(config: Partial<Config>, load: () => Promise<Module>): Promise<Module> => {
  vi.resetModules();
  const { configure } = await import("../../../src/browser/config.js");
  configure({ ...OPTIONS, ...config });
  return load();
};

/** A page of its own in place of the globals that the tracker uses. */
export const stubPage = (): Window => {
  const page = new Window({ url: "https://site.example/a" });
  for (const name of ["document", "history", "location", "localStorage", "Document", "EventTarget", "History"] as const)
    vi.stubGlobal(name, page[name]);
  vi.stubGlobal("window", page);
  return page;
};
