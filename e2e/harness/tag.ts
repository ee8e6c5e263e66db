import { DEMO_TOKENS } from "../../src/service/config/defaults.mjs";

/** Options of a script tag. Every name becomes one `data-` attribute; `undefined` leaves it out. */
export interface TagOptions {
  /** Where the bundle is. Default `/dist/tracklet.iife.js`. */
  src?: string;
  /** Default `true`: the tag is `async`. */
  async?: boolean;
  /** Default: the demo's token. */
  apiToken?: string;
  trackUrl?: string;
  contactUid?: string;
  accountUid?: string;
  /** Here `"off"` by default: a test that does not speak of page views counts only what it tracks. */
  pageviews?: "auto" | "hash" | "off";
  stamp?: boolean;
  /** Attributes of the tag itself, such as `nonce`. */
  attributes?: Record<string, string>;
  [option: string]: string | number | boolean | Record<string, string> | undefined;
}

export const DEMO_TOKEN = DEMO_TOKENS.apiToken;

const escapeHtml = (value: string): string => value.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const attribute = ([name, value]: [string, unknown]): string => ` ${name}="${escapeHtml(String(value))}"`;

/** The script tag as a website pastes it in. */
export const scriptTag = ({
  src = "/dist/tracklet.iife.js",
  async = true,
  attributes = {},
  ...options
}: TagOptions): string => {
  const data = Object.entries({ apiToken: DEMO_TOKEN, pageviews: "off", ...options })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]): [string, unknown] => [`data-${kebab(name)}`, value]);
  const all = [["src", src] as [string, unknown], ...data, ...Object.entries(attributes)].map(attribute).join("");
  return `<script${async ? " async" : ""}${all}></script>`;
};
