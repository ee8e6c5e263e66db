/** Modules of the browser part with a state of their own, as a page has them that was just loaded. */
import { vi } from "vitest";
import type { Config } from "../../../src/types.js";
import { createArea, type FakeArea } from "../../simulation/area.js";

export const OPTIONS = { name: "t", apiToken: "token", trackUrl: "https://track.example" };

/** Evaluates all modules anew, and configures them. What `load` imports belongs together. */
export const fresh = async <Module>(config: Partial<Config>, load: () => Promise<Module>): Promise<Module> => {
  vi.resetModules();
  const { configure } = await import("../../../src/browser/config.js");
  configure({ ...OPTIONS, ...config });
  return load();
};

/** Puts an area in place of the storage. */
export const stubStorage = (): FakeArea => {
  const fake = createArea();
  Object.defineProperty(globalThis, "localStorage", { get: fake.area, configurable: true });
  return fake;
};
