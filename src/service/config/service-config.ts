import type { XStatic } from "typebox/schema";
import type { OPTIONS } from "./options.js";

type Options = (typeof OPTIONS)["properties"];
type Given = XStatic<typeof OPTIONS>;
type WithDefault = {
  [Name in keyof Options]: Options[Name] extends { default: unknown } ? Name : never;
}[keyof Options];

/** The options as the service takes them. */
export interface ServiceConfig
  extends Omit<Given, WithDefault>,
    Required<Pick<Given, Exclude<WithDefault, "workspaces" | "trustProxy" | "watchedEvents" | "processes">>> {
  watchedEvents: string[];
  trustProxy: string[];
  /** How many share the port. */
  processes: number;
  workspaces: readonly Workspace[];
}

/** Tokens, and the data that is theirs alone. */
export interface Workspace {
  /** Lower-case letters, digits and `-`. */
  name: string;
  /** Token that may record events; two, as `new,old`, while one replaces the other. */
  apiToken: string;
  /** Bearer token that may read records; two, likewise. */
  accessToken: string;
}
