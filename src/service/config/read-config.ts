import { isIP } from "node:net";
import Format from "typebox/format";
import { Errors } from "typebox/schema";
import { nearName } from "../base/near-name.js";
import { StartError } from "../base/start-error.js";
import { complete } from "./complete-config.js";
import { addressesOf } from "./database-url.js";
import type { Option } from "./option.js";
import { OPTIONS } from "./options.js";
import type { ServiceConfig } from "./service-config.js";

/** Variables of the project that other programs read: the demo, its clients, Docker, the tests. */
const ELSEWHERE =
  /^TRACKLET_(SITE_PORT|DIST|BASE_URL|TRACK_URL|URL|DOMAIN|BACKUPS|ALL|ENGINES|MEASURE|APP_OUT|TEST_CLUSTER)$/;

/** Variables of what has gone, and what they were for: for one release they are ignored, so that an update needs no other change. */
const GONE: Readonly<Record<string, string>> = {
  TRACKLET_DEAD_LETTERS: "refused bodies are kept no more",
  TRACKLET_BATCH: "pages are always told that several events may come in one request",
};

const options = Object.entries<Option>(OPTIONS.properties);

/**
 * Reads the configuration from environment variables.
 *
 * @param warn is told of those that are ignored
 * @throws StartError that names the variable whose value is wrong
 */
export const readConfig = (
  given: Record<string, string | undefined>,
  warn: (text: string) => void = () => {},
): ServiceConfig => {
  const known = options.map(([, { variable }]) => variable);
  for (const name of Object.keys(given)) {
    if (known.includes(name) || ELSEWHERE.test(name)) continue;
    if (name in GONE) {
      warn(`${name} is ignored: ${GONE[name]}; take it out, the next release refuses it`);
      continue;
    }
    const meant = nearName(name, known);
    if (meant !== undefined) throw new StartError(`${name} must not be set: ${meant} was probably meant`);
    if (name.startsWith("TRACKLET_"))
      throw new StartError(`${name} must not be set: the service knows ${known.join(", ")}`);
  }
  const values = Object.fromEntries(
    options
      .map(([name, { variable, type }]) => [name, readText(type, given[variable])])
      .filter(([, value]) => value !== undefined),
  );
  const [isRight, [error]] = Errors(OPTIONS, values);
  if (!isRight) throw new StartError(tell(given, error!.instancePath.split("/")[1]!));
  return complete(values);
};

/** A text as the type of value that it stands for; as it is where it stands for none. */
const readText = (type: string | undefined, text: string | undefined): unknown => {
  if (text === undefined) return undefined;
  if (type === "integer") return /^\d+$/.test(text) ? Number(text) : text;
  if (type === "array") return text.split(",").map((one) => one.trim());
  if (type !== "object") return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** In front of a host. */
const PASSWORD = /\/\/.*@/;

const tell = (given: Record<string, string | undefined>, name: string): string => {
  const { variable, expected, writeOnly, ...option } = options.find(([one]) => one === name)![1];
  const what = expected ?? option.enum?.join(" or ") ?? `an integer from ${option.minimum} to ${option.maximum}`;
  return `${variable} must be ${what}${writeOnly ? "" : `, but is "${given[variable]!.replace(PASSWORD, "//…@")}"`}`;
};

const FORMATS: Record<string, (text: string) => boolean> = {
  "web-address": (text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    return url !== undefined && /^https?:$/.test(url.protocol) && url.origin + url.pathname === url.href;
  },
  proxy: (text) => {
    const [address = "", bits, ...rest] = text.split("/");
    const most = isIP(address) === 4 ? 32 : 128;
    const isAddress = isIP(address) !== 0 && rest.length === 0;
    return (
      (isAddress && (bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= most))) ||
      /^(loopback|linklocal|uniquelocal)$/.test(text)
    );
  },
  // A second @, or one behind a slash, is of a password: what stands behind it would be taken for the host.
  database: (text) => addressesOf(text).length > 0,
};
for (const [name, check] of Object.entries(FORMATS)) Format.Set(name, check);
